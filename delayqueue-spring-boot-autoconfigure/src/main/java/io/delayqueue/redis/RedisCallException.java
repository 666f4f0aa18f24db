package io.delayqueue.redis;

import org.jspecify.annotations.Nullable;

/** A script call that brought no reply. */
public final class RedisCallException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Kind kind;

    /** What is known about the script. */
    public enum Kind {
        /** Redis could not be reached: the script was not sent. */
        NOT_SENT,
        /** Redis answered with an error: the script did not run, or stopped at this error. */
        REFUSED,
        /** No answer in time, or the connection broke: nobody knows whether the script ran. */
        UNKNOWN
    }

    /**
     * With what is known.
     *
     * @param message what was attempted and what went wrong
     * @param cause the client's exception, if there was one
     */
    public RedisCallException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** What is known about the script. */
    public Kind kind() {
        return kind;
    }

    /**
     * Whether the script may have written something: nobody knows whether it ran, or it was stopped by an error that isn't
     * one of those that Redis gives before a script's first write.
     */
    public boolean mayHaveWritten() {
        return switch (kind) {
            case NOT_SENT -> false;
            case UNKNOWN -> true;
            case REFUSED -> !Verdict.of(getCause()).precedesWrites();
        };
    }
}
