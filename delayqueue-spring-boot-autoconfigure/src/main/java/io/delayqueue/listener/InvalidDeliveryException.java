package io.delayqueue.listener;

/**
 * A delivery that no handler can take as it is: a payload that can't be converted, a missing header, a failed
 * validation. It is never retried: the message goes to the dead letters as unreadable.
 */
public class InvalidDeliveryException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** With what is wrong. */
    public InvalidDeliveryException(String message, Throwable cause) {
        super(message, cause);
    }
}
