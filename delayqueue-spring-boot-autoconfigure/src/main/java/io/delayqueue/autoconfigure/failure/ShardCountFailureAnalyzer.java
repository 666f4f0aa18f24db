package io.delayqueue.autoconfigure.failure;

import io.delayqueue.message.Printable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Explains how to resolve a conflict about the number of shards of a topic. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class ShardCountFailureAnalyzer extends AbstractFailureAnalyzer<ShardCountException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ShardCountException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                "Set delayqueue.topics[" + Printable.of(cause.topic()) + "].shards to " + cause.registered()
                        + " or remove the property, or set delayqueue.shards.on-conflict=follow to use the"
                        + " registered number for every topic. To change the number to " + cause.wanted()
                        + ", stop the applications that use the topic, delete the topic when it is empty"
                        + " (DelayQueueAdmin.deleteTopic, or delete-topic of the endpoint delayqueue), and"
                        + " start this application again.",
                cause);
    }
}
