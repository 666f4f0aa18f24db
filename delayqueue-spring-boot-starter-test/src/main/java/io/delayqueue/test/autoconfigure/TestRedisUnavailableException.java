package io.delayqueue.test.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * There is no Redis of the kind that {@code delayqueue-test.redis} asks for.
 */
public final class TestRedisUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TestRedisUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
