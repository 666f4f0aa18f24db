package io.delayqueue.admin;

/** A part of the live messages of a topic. */
public enum MessageView {
    /** Not yet due; ordered by due time. */
    SCHEDULED,
    /** Due and not claimed; the message that has waited longest is first. */
    READY,
    /** Leased; ordered by the end of the lease. */
    LEASED
}
