package io.delayqueue.admin;

/** Which live messages of a topic to look at. */
public enum MessageView {
    /** Not yet due, the next one first. */
    SCHEDULED,
    /** Due and not claimed, the longest waiting first. */
    READY,
    /** Claimed, the first lease to end first. */
    LEASED
}
