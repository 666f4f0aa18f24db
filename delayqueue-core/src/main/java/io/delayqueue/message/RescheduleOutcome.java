package io.delayqueue.message;

/** Result of a reschedule. */
public enum RescheduleOutcome {
    /** The message has the new due time. Its attempts are still counted. */
    RESCHEDULED,
    /** A consumer holds the message; nothing changed. */
    BEING_HANDLED,
    /** No live message has this id. */
    NOT_FOUND
}
