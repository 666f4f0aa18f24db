package io.delayqueue.sample.notice;

/** How the merchant answers a notice. */
public enum Behaviour {
    /** Takes each. */
    UP,
    /** Takes each at the third time of asking. */
    FLAKY,
    /** Takes none. */
    DOWN
}
