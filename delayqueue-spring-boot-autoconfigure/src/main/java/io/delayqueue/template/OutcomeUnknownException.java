package io.delayqueue.template;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;

/**
 * Nobody knows whether a message was stored: Redis did not answer in time, the connection broke, or Redis answered with
 * an error that may have come midway. Send
 * {@link #delayMessage()} again, as often as needed: if the first send did arrive, the second is recognised as its repeat
 * and answered as the first would have been.
 */
public final class OutcomeUnknownException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    private final transient DelayMessage delayMessage;

    /**
     * With the message.
     *
     * @param delayMessage with its id and its nonce set
     */
    public OutcomeUnknownException(DelayMessage delayMessage, Throwable cause) {
        super(
                "Whether message " + delayMessage.id() + " to topic " + delayMessage.topic()
                        + " was stored is not known" + why(cause) + ". Send the message that this exception carries"
                        + " again: a repeat is recognised.",
                cause);
        this.delayMessage = delayMessage;
    }

    /** A time-out says nothing that the message doesn't; an error is something to be put right. */
    private static String why(Throwable cause) {
        return cause instanceof RedisCallException call && call.kind() == Kind.REFUSED
                ? ", since Redis answered with an error that may have come midway (" + call.getMessage() + ")"
                : "";
    }

    /** The message with its id, by which a repeat is recognised. */
    public DelayMessage delayMessage() {
        return delayMessage;
    }
}
