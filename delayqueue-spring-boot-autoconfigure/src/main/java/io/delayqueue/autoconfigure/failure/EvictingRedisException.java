package io.delayqueue.autoconfigure.failure;

/** Redis is set to remove keys when its memory is full, messages among them. */
public final class EvictingRedisException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** With what is wrong, in a sentence. */
    public EvictingRedisException(String sentence) {
        super(sentence);
    }
}
