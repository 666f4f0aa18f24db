package io.delayqueue.message;

/** What became of a reschedule. */
public enum RescheduleOutcome {
    /** The message has its new due time; attempts made so far are kept. */
    RESCHEDULED,
    /** A consumer holds it: nothing changed. */
    BEING_HANDLED,
    /** There is no live message of that id now. */
    NOT_FOUND
}
