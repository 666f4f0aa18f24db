package io.delayqueue.store;

/**
 * A topic is not what this process believes it to be: another shard count, or a format that only a newer version reads.
 * Nothing was written.
 */
public sealed class TopicConflictException extends RuntimeException permits TopicRegisteredAnewException {

    private static final long serialVersionUID = 1L;

    /** With what is believed, what was found, and what to do. */
    public TopicConflictException(String message) {
        super(message);
    }
}
