package io.delayqueue.web.guard;

/** What a client may be let in for. */
public enum Permission {

    /** To send, cancel, reschedule and find messages. */
    PRODUCE,

    /** To receive messages and answer them. */
    CONSUME,

    /** To do everything, dead letters included. */
    ADMIN
}
