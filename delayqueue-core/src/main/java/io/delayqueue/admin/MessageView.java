package io.delayqueue.admin;

/** A part of the live messages of a topic. */
public enum MessageView {
    /** Not yet due; ordered by due time. */
    SCHEDULED,
    /** Due, not claimed and not a suspect; the message that has waited longest is first. */
    READY,
    /** Leased; ordered by the end of the lease. */
    LEASED,
    /** Due, and waiting to be handled in isolation; the message that has waited longest is first. */
    SUSPECT
}
