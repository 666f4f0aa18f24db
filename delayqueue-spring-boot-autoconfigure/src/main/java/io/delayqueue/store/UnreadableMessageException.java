package io.delayqueue.store;

/** What is stored of a message is not in a format that this version reads. */
public final class UnreadableMessageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** With what was found. */
    public UnreadableMessageException(String message) {
        super(message);
    }
}
