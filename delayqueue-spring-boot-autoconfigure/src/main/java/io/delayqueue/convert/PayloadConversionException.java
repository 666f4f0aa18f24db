package io.delayqueue.convert;

import org.jspecify.annotations.Nullable;

/** A payload that can't be written, or can't be read as the type that is asked for. Never retried. */
public final class PayloadConversionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** With what was attempted. */
    public PayloadConversionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
