package io.delayqueue.message;

/** State of a live message. */
public enum MessageState {
    /** Waiting for its due time. */
    SCHEDULED,
    /** Due and not claimed. Redis stores it in the same place as {@link #SCHEDULED}. */
    READY,
    /** Claimed by a consumer under a lease. */
    LEASED,
    /**
     * Due, and waiting to be handled in isolation, because its leases ended repeatedly without a settlement. It counts
     * as ready.
     */
    SUSPECT
}
