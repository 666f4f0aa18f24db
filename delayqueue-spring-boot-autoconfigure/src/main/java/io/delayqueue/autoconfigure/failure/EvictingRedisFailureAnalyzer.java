package io.delayqueue.autoconfigure.failure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Explains how to configure a Redis that does not evict messages. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class EvictingRedisFailureAnalyzer extends AbstractFailureAnalyzer<EvictingRedisException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, EvictingRedisException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                "Set maxmemory-policy to noeviction, or use a separate Redis for the delay queue and"
                        + " annotate its connection factory with @DelayQueueConnectionFactory. To accept the"
                        + " loss of messages, set delayqueue.redis.allow-eviction=true.",
                cause);
    }
}
