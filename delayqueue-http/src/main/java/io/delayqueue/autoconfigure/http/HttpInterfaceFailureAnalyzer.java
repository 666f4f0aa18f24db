package io.delayqueue.autoconfigure.http;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Describes how to configure or disable an HTTP interface. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class HttpInterfaceFailureAnalyzer extends AbstractFailureAnalyzer<HttpInterfaceException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, HttpInterfaceException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
