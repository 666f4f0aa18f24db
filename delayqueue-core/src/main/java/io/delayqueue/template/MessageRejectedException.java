package io.delayqueue.template;

import io.delayqueue.message.Printable;
import io.delayqueue.message.SendResult.Reason;
import org.jspecify.annotations.Nullable;

/** A message is not stored: neither by this send nor, if this send is a repeat, by an earlier one. */
public final class MessageRejectedException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final String id;
    private final Reason reason;
    private final String detail;

    /**
     * Creates the exception.
     *
     * @param topic the message's topic
     * @param id the message's id; generated if the message had none
     * @param reason why the message is not stored
     * @param detail the error and a remedy, in a sentence
     */
    public MessageRejectedException(String topic, String id, Reason reason, String detail, @Nullable Throwable cause) {
        super("Message " + Printable.of(id) + " to topic " + Printable.of(topic) + " was not stored: " + detail, cause);
        this.topic = topic;
        this.id = id;
        this.reason = reason;
        this.detail = detail;
    }

    /** The message's topic. */
    public String topic() {
        return topic;
    }

    /** The message's id; generated if the message had none. */
    public String id() {
        return id;
    }

    /** Why the message is not stored. */
    public Reason reason() {
        return reason;
    }

    /** The error and a remedy, in a sentence. */
    public String detail() {
        return detail;
    }
}
