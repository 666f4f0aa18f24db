package io.delayqueue.redis;

import org.jspecify.annotations.Nullable;

/** A script call failed. {@link #kind()} says whether the script may have run. */
public final class RedisCallException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Kind kind;

    /** The effect that the failed call had. */
    public enum Kind {
        /** Redis could not be reached: the script was not sent. */
        NOT_SENT,
        /** A hash slot is being migrated or was migrated: the script did not run and must be sent again. */
        TRY_AGAIN,
        /** Redis' memory is full: the script wrote nothing. */
        MEMORY_FULL,
        /** Redis replied with another error that occurs before a script's first write. */
        REJECTED,
        /** Redis replied with an error that may have occurred after a write of the script. */
        STOPPED,
        /** No reply arrived in time, or the connection broke: the script may have run. */
        UNKNOWN,
        /** The script ran on the master, but its {@link io.delayqueue.message.Durability} was not confirmed in time. */
        NOT_CONFIRMED
    }

    /**
     * Creates an exception.
     *
     * @param message the attempted call and the failure
     * @param cause the client's exception, if there was one
     */
    public RedisCallException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** The effect that the failed call had. */
    public Kind kind() {
        return kind;
    }

    /** Whether the script may have written something. */
    public boolean isOutcomeUnknown() {
        return kind == Kind.STOPPED || kind == Kind.UNKNOWN || kind == Kind.NOT_CONFIRMED;
    }
}
