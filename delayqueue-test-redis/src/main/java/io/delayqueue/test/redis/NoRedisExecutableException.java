package io.delayqueue.test.redis;

/** Thrown if there is no Redis executable for this operating system and processor. */
public final class NoRedisExecutableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NoRedisExecutableException(String message) {
        super(message);
    }
}
