package io.delayqueue.autoconfigure.failure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Says how to agree on a topic's shards. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class ShardCountFailureAnalyzer extends AbstractFailureAnalyzer<ShardCountException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ShardCountException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                "Set delayqueue.topics[" + cause.topic() + "].shards to " + cause.registered()
                        + " or leave it out, or set delayqueue.shards.on-conflict=follow to use every topic as it is"
                        + " registered. To have " + cause.wanted()
                        + ", start this application once the topic holds nothing and no listener of it runs anywhere: then"
                        + " it is registered anew. A node that died counts until delayqueue.engine.heartbeat-timeout is"
                        + " over.",
                cause);
    }
}
