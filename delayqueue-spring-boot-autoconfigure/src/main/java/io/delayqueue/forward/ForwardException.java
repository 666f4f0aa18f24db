package io.delayqueue.forward;

import org.jspecify.annotations.Nullable;

/** A message that a broker did not confirm; its message says which one, where to and why. */
public final class ForwardException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** With a sentence. */
    public ForwardException(String message) {
        this(message, null);
    }

    /** With the failure that led to it. */
    public ForwardException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
