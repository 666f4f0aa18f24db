package io.delayqueue.template;

import org.jspecify.annotations.Nullable;

/** A message was not stored, for certain. */
public final class MessageRefusedException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final String id;
    private final String reason;

    /**
     * With what was refused.
     *
     * @param topic the message's topic
     * @param id its id, generated where none was given
     * @param reason what is wrong and what to do, in a sentence
     */
    public MessageRefusedException(String topic, String id, String reason, @Nullable Throwable cause) {
        super("Message " + id + " to topic " + topic + " was not stored: " + reason, cause);
        this.topic = topic;
        this.id = id;
        this.reason = reason;
    }

    /** The message's topic. */
    public String topic() {
        return topic;
    }

    /** The message's id, generated where none was given. */
    public String id() {
        return id;
    }

    /** What is wrong and what to do. */
    public String reason() {
        return reason;
    }
}
