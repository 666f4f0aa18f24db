package io.delayqueue.autoconfigure.failure;

import io.delayqueue.annotation.InvalidListenerException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Names the listener whose declaration is invalid, and the fix. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidListenerFailureAnalyzer extends AbstractFailureAnalyzer<InvalidListenerException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidListenerException cause) {
        String listener = cause.method().isEmpty()
                ? "The listener '" + cause.beanName() + "'"
                : "The listener of '" + cause.beanName() + "' (" + cause.method() + ")";
        String description = listener + " is declared incorrectly:\n\n    " + cause.problem();
        return new FailureAnalysis(description, cause.fix(), cause);
    }
}
