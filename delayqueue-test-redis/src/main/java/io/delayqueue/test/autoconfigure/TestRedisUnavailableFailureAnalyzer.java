package io.delayqueue.test.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes how to provide a Redis for tests. */
final class TestRedisUnavailableFailureAnalyzer extends AbstractFailureAnalyzer<TestRedisUnavailableException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, TestRedisUnavailableException cause) {
        return new FailureAnalysis(
                cause.getMessage(),
                "Start Docker and put com.redis:testcontainers-redis on the class path, or set spring.data.redis.host "
                        + "and spring.data.redis.port to a Redis that runs, or choose another value for "
                        + TestRedisMode.PROPERTY + ".",
                cause);
    }
}
