package io.delayqueue.autoconfigure.failure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Says how to give the delay queue its Redis. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class ConnectionFactoryChoiceFailureAnalyzer extends AbstractFailureAnalyzer<ConnectionFactoryChoiceException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ConnectionFactoryChoiceException cause) {
        String action = cause.names().isEmpty()
                ? "Set spring.data.redis.host or spring.data.redis.url so that Spring Boot makes one, define one, or turn"
                        + " the delay queue off with delayqueue.enabled=false."
                : "Mark the one that the delay queue is to use with @DelayQueueConnectionFactory, or one of them with"
                        + " @Primary.";
        return new FailureAnalysis(String.valueOf(cause.getMessage()), action, cause);
    }
}
