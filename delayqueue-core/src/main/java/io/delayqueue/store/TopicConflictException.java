package io.delayqueue.store;

/**
 * A topic has another shard count than this process expects, or a format that this version cannot read. Nothing was
 * written.
 */
public sealed class TopicConflictException extends RuntimeException permits TopicRegisteredAnewException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message the expected and the found state, and the remedy
     */
    public TopicConflictException(String message) {
        super(message);
    }
}
