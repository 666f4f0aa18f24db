package io.delayqueue.autoconfigure.failure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Shows the description and the action of an exception that fails the start. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class StartFailedAnalyzer extends AbstractFailureAnalyzer<StartFailedException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartFailedException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
