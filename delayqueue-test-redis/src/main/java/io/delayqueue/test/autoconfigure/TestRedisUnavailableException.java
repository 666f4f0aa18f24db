package io.delayqueue.test.autoconfigure;

import org.jspecify.annotations.Nullable;

/** Thrown if the kind of Redis that {@code delayqueue-test.redis} requires is unavailable. */
final class TestRedisUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TestRedisUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
