package io.delayqueue.autoconfigure.failure;

/** Thrown if Redis may evict messages when its memory is full. */
public final class EvictingRedisException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** @param message names the setting */
    public EvictingRedisException(String message) {
        super(message);
    }
}
