package io.delayqueue.template;

/** A message was not stored, since one of its id is scheduled or being handled. Nothing changed. */
public final class DuplicateMessageException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final String id;

    /** With the live message's topic and id. */
    public DuplicateMessageException(String topic, String id) {
        super(
                "Message " + id + " to topic " + topic + " was not stored: a message of that id is scheduled or being"
                        + " handled. Say onDuplicate(KEEP) or onDuplicate(REPLACE) if that is expected.",
                null);
        this.topic = topic;
        this.id = id;
    }

    /** The topic. */
    public String topic() {
        return topic;
    }

    /** The id that is live. */
    public String id() {
        return id;
    }
}
