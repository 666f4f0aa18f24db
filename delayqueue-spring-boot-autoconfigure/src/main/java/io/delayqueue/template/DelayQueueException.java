package io.delayqueue.template;

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
}
