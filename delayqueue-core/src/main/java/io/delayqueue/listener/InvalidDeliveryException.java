package io.delayqueue.listener;

/**
 * The delivery does not fit its handler: the payload cannot be converted, a header is missing, or validation failed.
 * The message is not retried but dead-lettered as unreadable.
 */
public class InvalidDeliveryException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public InvalidDeliveryException(String message, Throwable cause) {
        super(message, cause);
    }
}
