package io.delayqueue.management.guard;

import java.util.Locale;

/** A permission of a client. */
public enum Permission {

    /** Send, cancel, reschedule and find messages. */
    PRODUCE,

    /** Receive and settle messages. */
    CONSUME,

    /** Everything, including dead letters. */
    ADMIN;

    private final String authority = "delayqueue:" + name().toLowerCase(Locale.ROOT);

    /**
     * Returns the authority that grants this permission in the application's own security, such as
     * {@code delayqueue:produce}.
     */
    public String authority() {
        return authority;
    }
}
