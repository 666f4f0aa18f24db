package io.delayqueue.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Names the properties that are wrong. */
final class InvalidListenerPropertiesFailureAnalyzer
        extends AbstractFailureAnalyzer<InvalidListenerPropertiesException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidListenerPropertiesException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()), "Correct the value under " + cause.where() + ".", cause);
    }
}
