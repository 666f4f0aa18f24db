package io.delayqueue.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says how to give the delay queue its Redis. */
final class ConnectionFactoryChoiceFailureAnalyzer extends AbstractFailureAnalyzer<ConnectionFactoryChoiceException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ConnectionFactoryChoiceException cause) {
        String action = cause.names().isEmpty()
                ? "Set spring.data.redis.host or spring.data.redis.url so that Spring Boot makes one, define one, or turn"
                        + " the delay queue off with delayqueue.enabled=false."
                : "Mark the bean that the delay queue is to use with @DelayQueueConnectionFactory, or one of them with"
                        + " @Primary.";
        return new FailureAnalysis(String.valueOf(cause.getMessage()), action, cause);
    }
}
