package io.delayqueue.test.redis;

/**
 * Which way bytes flow through a {@link FaultProxy}.
 */
public enum Direction {
    /** Requests. */
    CLIENT_TO_SERVER,

    /** Replies, and messages of subscriptions. */
    SERVER_TO_CLIENT
}
