package io.delayqueue.autoconfigure.failure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Explains how to configure the Redis of the delay queue. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class ConnectionFactoryChoiceFailureAnalyzer extends AbstractFailureAnalyzer<ConnectionFactoryChoiceException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ConnectionFactoryChoiceException cause) {
        String action = cause.names().isEmpty()
                ? "Set spring.data.redis.host or spring.data.redis.url to have Spring Boot create one,"
                        + " define one, or disable the delay queue with delayqueue.enabled=false."
                : "Annotate the one that the delay queue should use with @DelayQueueConnectionFactory,"
                        + " or one of them with @Primary.";
        return new FailureAnalysis(String.valueOf(cause.getMessage()), action, cause);
    }
}
