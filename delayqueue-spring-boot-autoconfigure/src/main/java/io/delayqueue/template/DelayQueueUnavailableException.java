package io.delayqueue.template;

/**
 * Redis did not do what it was asked for: it was out of reach, answered with an error, or did not answer in time. In the
 * last case it may still have done it. Whatever throws this may be repeated.
 */
public final class DelayQueueUnavailableException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    /** With what was attempted and what went wrong. */
    public DelayQueueUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
