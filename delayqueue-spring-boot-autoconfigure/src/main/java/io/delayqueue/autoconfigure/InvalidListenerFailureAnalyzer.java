package io.delayqueue.autoconfigure;

import io.delayqueue.annotation.InvalidListenerException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Names the listener that can't be run as it is declared, and the fix. */
final class InvalidListenerFailureAnalyzer extends AbstractFailureAnalyzer<InvalidListenerException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidListenerException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.fix(), cause);
    }
}
