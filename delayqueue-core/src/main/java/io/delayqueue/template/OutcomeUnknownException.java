package io.delayqueue.template;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Printable;
import io.delayqueue.message.SendResult.Reason;
import org.jspecify.annotations.Nullable;

/**
 * A message may or may not be stored: Redis did not reply in time, the connection broke, or Redis replied with an error
 * that may have followed a write. With the {@link #reason()} {@link Reason#NOT_CONFIRMED} the message is stored, but
 * fewer replicas than requested confirmed it in time, so that a failover may lose it.
 *
 * <p>Send {@link #delayMessage()} again, as often as necessary. If an earlier send stored the message, Redis recognises
 * the repeat and returns the result of that send. If the repeat fails for any reason, this exception is thrown again,
 * because a failed repeat does not show whether the earlier send stored the message.
 */
public final class OutcomeUnknownException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    private final transient DelayMessage delayMessage;
    private final Reason reason;

    /**
     * Creates the exception.
     *
     * @param delayMessage the message with its id and nonce
     * @param reason why the outcome is unknown; for a repeat, why the repeat was not stored
     * @param detail the failure, in a sentence; may be empty
     */
    public OutcomeUnknownException(DelayMessage delayMessage, Reason reason, String detail, @Nullable Throwable cause) {
        super(
                "Message " + Printable.of(delayMessage.id()) + " to topic " + Printable.of(delayMessage.topic())
                        + (reason == Reason.NOT_CONFIRMED
                                ? " is stored on the master, but a failover may lose it"
                                : " may or may not be stored")
                        + (detail.isEmpty() ? "" : ": " + withoutDot(detail))
                        + ". Send the message of this exception again; Redis recognises a repeat.",
                cause);
        this.delayMessage = delayMessage;
        this.reason = reason;
    }

    private static String withoutDot(String detail) {
        return detail.endsWith(".") ? detail.substring(0, detail.length() - 1) : detail;
    }

    /** Why the outcome is unknown; for a repeat, why the repeat was not stored. */
    public Reason reason() {
        return reason;
    }

    /** The message with its id and nonce, by which Redis recognises a repeat. */
    public DelayMessage delayMessage() {
        return delayMessage;
    }
}
