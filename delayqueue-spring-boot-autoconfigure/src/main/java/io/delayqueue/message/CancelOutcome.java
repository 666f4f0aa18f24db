package io.delayqueue.message;

/** What became of a cancel. */
public enum CancelOutcome {
    /** It was scheduled and is gone. */
    CANCELLED,
    /** It was being handled: its lease is void, no retry follows, but the handler that runs isn't stopped. */
    CANCELLED_WHILE_HANDLED,
    /** There is no live message of that id now: never sent, acknowledged, cancelled before, or dead. */
    NOT_FOUND;

    /** Whether this call removed the message. */
    public boolean isCancelled() {
        return this != NOT_FOUND;
    }
}
