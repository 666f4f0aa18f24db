package io.delayqueue.sample.notice;

/** The behaviour of the simulated merchant. */
public enum Behaviour {
    /** Accepts each notice. */
    UP,
    /** Accepts each notice at its third attempt. */
    FLAKY,
    /** Accepts no notice. */
    DOWN
}
