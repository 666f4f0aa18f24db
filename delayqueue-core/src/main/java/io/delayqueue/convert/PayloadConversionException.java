package io.delayqueue.convert;

import org.jspecify.annotations.Nullable;

/** A payload cannot be written, or cannot be read as the requested type. Never retried. */
public final class PayloadConversionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public PayloadConversionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
