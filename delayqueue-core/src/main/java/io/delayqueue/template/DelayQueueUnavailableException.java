package io.delayqueue.template;

/**
 * A call to Redis failed: Redis was unreachable, replied with an error, or did not reply in time. If
 * {@link #isOutcomeUnknown()}, the operation may have taken effect. It can be repeated in any case.
 */
public final class DelayQueueUnavailableException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    private final boolean outcomeUnknown;

    /**
     * Creates the exception.
     *
     * @param message the attempt and the failure
     * @param outcomeUnknown whether the operation may have taken effect
     */
    public DelayQueueUnavailableException(String message, boolean outcomeUnknown, Throwable cause) {
        super(message, cause);
        this.outcomeUnknown = outcomeUnknown;
    }

    /** Whether the operation may have taken effect: Redis did not reply in time, or failed after a write. */
    public boolean isOutcomeUnknown() {
        return outcomeUnknown;
    }
}
