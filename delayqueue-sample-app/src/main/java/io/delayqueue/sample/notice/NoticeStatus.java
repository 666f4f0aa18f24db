package io.delayqueue.sample.notice;

/** The status of a payment notice. */
public enum NoticeStatus {
    /** The merchant has not accepted the notice yet. */
    PENDING,
    /** The merchant has accepted the notice. */
    ACCEPTED,
    /** The notice is a dead letter until it is replayed. */
    DEAD
}
