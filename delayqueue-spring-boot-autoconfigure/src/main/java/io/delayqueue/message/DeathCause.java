package io.delayqueue.message;

/** Why a message went to the dead letters. */
public enum DeathCause {
    /** Its last permitted attempt failed. */
    ATTEMPTS_SPENT,
    /** Its last permitted attempt ended without an answer: the lease ran out, as when a process is killed. */
    LEASE_OVER,
    /** It was claimed later than its expiry allows. */
    EXPIRED,
    /** The handler, or a consumer, buried it. */
    BURIED,
    /** The failure is of a kind that is never retried. */
    NOT_RETRYABLE,
    /** The payload could not be converted into what the handler takes, or was not valid. */
    UNREADABLE
}
