package io.delayqueue.store;

/**
 * A topic is not as the call expects. Nothing was stored, settled or claimed. The topic has another shard count, or a
 * format that this version cannot read; or others deleted or registered it during each attempt; or a later poll of the
 * same consumer has run.
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
