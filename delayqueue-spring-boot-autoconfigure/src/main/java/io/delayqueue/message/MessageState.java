package io.delayqueue.message;

/** Where a live message stands. */
public enum MessageState {
    /** Waiting for its due time. */
    SCHEDULED,
    /** Due and not yet claimed: a view of {@link #SCHEDULED}, not a place. */
    READY,
    /** Claimed by a consumer under a lease. */
    LEASED
}
