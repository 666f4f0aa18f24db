package io.delayqueue.message;

/** What a send does if its id is live (scheduled or leased). Dead letters do not count. */
public enum OnDuplicate {
    /** The send is rejected as a duplicate; nothing changes. */
    REJECT,
    /** The send succeeds and the live message stays unchanged. */
    KEEP,
    /**
     * The new message replaces the live one and its successor, unless one of them has a greater version; its attempts
     * start from zero. A running handler of the old message is not stopped, but its settlement is rejected. If a consumer
     * has claimed the old message and its handler has not started, the handler may still start shortly after, as with
     * {@link CancelOutcome#CANCELLED_WHILE_HANDLED}.
     */
    REPLACE,
    /**
     * While the live message is being handled, or waits for its next attempt, the new one becomes its successor and
     * replaces an earlier successor. The successor becomes due when the message is acknowledged or becomes a dead letter,
     * but not before its own due time. So no two handlers of the id run at the same time while leases hold. A live message
     * that was never handled is replaced, as with {@link #REPLACE}. A cancel or replacement of the message removes its
     * successor, too.
     */
    AFTER_RUNNING
}
