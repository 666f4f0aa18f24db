package io.delayqueue.message;

/** Result of a cancel. */
public enum CancelOutcome {
    /** The message was scheduled and is removed. */
    CANCELLED,
    /**
     * A consumer had claimed the message. Its lease is void and it is not retried. A running handler is not stopped.
     * A handler that has not started does not start once its node receives the cancel signal, normally after one
     * round trip. If that signal is lost, the handler may still start until {@code delayqueue.engine.confirm-after}
     * (1 s) after Redis last confirmed the lease. There is no signal for a message that a receiver holds: its
     * settlement is rejected.
     */
    CANCELLED_WHILE_HANDLED,
    /** No live message has this id: it was never sent, or was acknowledged, cancelled or dead-lettered before. */
    NOT_FOUND;

    /** Whether this call removed the message. */
    public boolean isCancelled() {
        return this != NOT_FOUND;
    }
}
