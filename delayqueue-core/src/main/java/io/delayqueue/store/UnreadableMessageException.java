package io.delayqueue.store;

/** A stored message or dead letter has a format that this version cannot read. */
public final class UnreadableMessageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message the violation of the format, without any part of the stored message
     */
    public UnreadableMessageException(String message) {
        super(message);
    }
}
