package io.delayqueue.message;

/** What a send does if its id is live (scheduled or leased). Dead letters do not count. */
public enum OnDuplicate {
    /** The send is rejected as a duplicate; nothing changes. */
    REJECT,
    /** The send succeeds and the live message stays unchanged. */
    KEEP,
    /**
     * The new message replaces the live one, unless that has a greater version; its attempts start from zero. A running handler of the old message is
     * not stopped, but its settlement is rejected. If a consumer has claimed the old message and its handler has not
     * started, the handler may still start shortly after, as with {@link CancelOutcome#CANCELLED_WHILE_HANDLED}.
     */
    REPLACE
}
