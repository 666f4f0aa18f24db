package io.delayqueue.template;

import io.delayqueue.message.Printable;

/** A message was not stored because a message with the same id is scheduled or being handled. Nothing changed. */
public final class DuplicateMessageException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final String id;

    /** Creates the exception with the topic and the id of the live message. */
    public DuplicateMessageException(String topic, String id) {
        super(
                "Message " + Printable.of(id) + " to topic " + Printable.of(topic)
                        + " was not stored: a message with this id is scheduled or being"
                        + " handled. Use onDuplicate(KEEP) or onDuplicate(REPLACE) if duplicates are expected.",
                null);
        this.topic = topic;
        this.id = id;
    }

    /** The message's topic. */
    public String topic() {
        return topic;
    }

    /** The id of the live message. */
    public String id() {
        return id;
    }
}
