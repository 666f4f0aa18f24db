package io.delayqueue.template;

import io.delayqueue.Internal;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.message.SendResult.Rejected;
import io.delayqueue.message.SendResult.Unknown;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.UnreadableMessageException;
import org.jspecify.annotations.Nullable;

/** An operation of the delay queue failed, or its outcome is unknown. */
public class DelayQueueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the attempt, the failure and, if there is one, a remedy
     */
    public DelayQueueException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * Translates a failure of the store, except for sends.
     *
     * @param attempt the attempt, as in "Cancelling message 4711 in topic orders"
     * @param failure thrown by the store
     * @return a {@code DelayQueueException}; the failure itself if it is not one of the store's exceptions
     */
    public static RuntimeException translated(String attempt, RuntimeException failure) {
        return failure instanceof RedisCallException
                        || failure instanceof TopicConflictException
                        || failure instanceof UnreadableMessageException
                ? of(attempt + " failed: " + failure.getMessage(), failure)
                : failure;
    }

    /**
     * Translates a failure of the store.
     *
     * @param message the attempt and the failure
     * @param failure thrown by the store
     */
    public static DelayQueueException of(String message, @Nullable Throwable failure) {
        if (failure instanceof RedisCallException call) {
            return new DelayQueueUnavailableException(message, call.isOutcomeUnknown(), call);
        }
        return failure instanceof TopicConflictException
                ? new TopicMismatchException(message, failure)
                : new DelayQueueException(message, failure);
    }

    /** Returns the exception of a send's result. */
    @Internal
    public static DelayQueueException of(Failed failed) {
        if (failed instanceof Rejected rejected) {
            return new MessageRejectedException(
                    rejected.topic(), rejected.id(), rejected.reason(), rejected.detail(), rejected.cause());
        }
        if (failed instanceof Unknown unknown) {
            return new OutcomeUnknownException(unknown.message(), unknown.reason(), unknown.detail(), unknown.cause());
        }
        return new DuplicateMessageException(failed.topic(), failed.id());
    }
}
