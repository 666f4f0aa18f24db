package io.delayqueue.test.redis;

/** The direction of bytes through a {@link FaultProxy}. */
public enum Direction {
    /** Requests. */
    CLIENT_TO_SERVER,

    /** Replies, and messages of subscriptions. */
    SERVER_TO_CLIENT
}
