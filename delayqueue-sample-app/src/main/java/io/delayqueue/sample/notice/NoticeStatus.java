package io.delayqueue.sample.notice;

/** Where a payment notice stands. */
public enum NoticeStatus {
    /** The merchant hasn't taken it yet. */
    PENDING,
    /** The merchant has taken it. */
    TAKEN,
    /** It was given up: a dead letter, until somebody replays it. */
    DEAD
}
