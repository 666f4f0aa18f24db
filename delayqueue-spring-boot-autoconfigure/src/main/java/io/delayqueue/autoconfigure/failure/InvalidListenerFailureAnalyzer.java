package io.delayqueue.autoconfigure.failure;

import io.delayqueue.annotation.InvalidListenerException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Names the listener that can't be run as it is declared, and the fix. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidListenerFailureAnalyzer extends AbstractFailureAnalyzer<InvalidListenerException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidListenerException cause) {
        String method = cause.method().isEmpty() ? "" : " (" + cause.method() + ")";
        String description = "The listener of '" + cause.beanName() + "'" + method
                + " can't be run as it is declared:\n\n    " + cause.problem();
        return new FailureAnalysis(description, cause.fix(), cause);
    }
}
