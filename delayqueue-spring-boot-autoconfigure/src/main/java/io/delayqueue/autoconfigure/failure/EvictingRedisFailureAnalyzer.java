package io.delayqueue.autoconfigure.failure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Says how to have a Redis that keeps messages. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class EvictingRedisFailureAnalyzer extends AbstractFailureAnalyzer<EvictingRedisException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, EvictingRedisException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                "Set maxmemory-policy to noeviction on that Redis, or give the delay queue a Redis of its own, whose"
                        + " connection factory is marked with @DelayQueueConnectionFactory. Where messages may get"
                        + " lost, set delayqueue.redis.allow-eviction=true.",
                cause);
    }
}
