package io.delayqueue.autoconfigure.failure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Says how to open an HTTP door, or that it stays closed. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class HttpDoorFailureAnalyzer extends AbstractFailureAnalyzer<HttpDoorException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, HttpDoorException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
