package io.delayqueue.autoconfigure.failure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Names the invalid property. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidPropertyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidPropertyException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidPropertyException cause) {
        return new FailureAnalysis(cause.getMessage() + ".", "Correct the value of " + cause.property() + ".", cause);
    }
}
