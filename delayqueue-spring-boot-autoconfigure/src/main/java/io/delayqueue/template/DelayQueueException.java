package io.delayqueue.template;

import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.UnreadableMessageException;
import org.jspecify.annotations.Nullable;

/** Something the queue was asked for did not happen, or nobody knows whether it did. */
public class DelayQueueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * With what happened.
     *
     * @param message what was attempted, what went wrong and, where there is something to do, what
     */
    public DelayQueueException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * What is told when a call to the store failed that was no send.
     *
     * @param attempt what was attempted, as in "To cancel message 4711 in topic orders"
     * @param failure what the store threw
     * @return this or {@link DelayQueueUnavailableException}; the failure itself if the store does not throw such a one
     */
    public static RuntimeException after(String attempt, RuntimeException failure) {
        if (failure instanceof RedisCallException) {
            return new DelayQueueUnavailableException(attempt + " failed: " + failure.getMessage(), failure);
        }
        if (failure instanceof TopicConflictException || failure instanceof UnreadableMessageException) {
            return new DelayQueueException(attempt + " failed: " + failure.getMessage(), failure);
        }
        return failure;
    }
}
