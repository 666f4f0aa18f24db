package io.delayqueue.forward;

import org.jspecify.annotations.Nullable;

/** Thrown if a broker did not confirm a message. The exception's message has the destination and the cause. */
public final class ForwardException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception with a message. */
    public ForwardException(String message) {
        this(message, null);
    }

    /** Creates an exception with a message and a cause. */
    public ForwardException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
