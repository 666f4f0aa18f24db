package io.delayqueue.proof;

import io.delayqueue.container.Pacing;
import io.delayqueue.container.QueueNode;
import io.delayqueue.listener.ListenerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Nodes that consume one topic under load, on one Redis deployment of any topology. */
final class Fleet implements AutoCloseable {

    private final Supplier<QueueNode.Builder> redis;
    private final List<QueueNode> nodes = new ArrayList<>();
    final int shards;
    final Ledger ledger = new Ledger();
    final Load load;

    Fleet(Supplier<QueueNode.Builder> redis, int shards) {
        this.redis = redis;
        this.shards = shards;
        this.load = new Load(ledger, shards);
    }

    /** Starts a node without a listener. */
    QueueNode startNode() {
        QueueNode node = redis.get()
                .shards(Load.TOPIC, shards)
                .settings(Pacing.builtIn().settings())
                .events(load, ledger)
                .start();
        nodes.add(node);
        return node;
    }

    /** Starts two nodes with a listener each. */
    void startConsumers() {
        ListenerOptions options = ListenerOptions.DEFAULTS.toBuilder()
                .lease(Duration.ofSeconds(3))
                .build();
        startNode().listen(Load.TOPIC, options, load::handle);
        startNode().listen(Load.TOPIC, options, load::handle);
    }

    QueueNode firstNode() {
        return nodes.get(0);
    }

    /** Stops the load, waits until no message is left, and closes the nodes. */
    void drainAndClose() {
        load.stop();
        load.awaitEmpty(firstNode());
        nodes.forEach(QueueNode::close);
        nodes.clear();
    }

    @Override
    public void close() {
        load.stop();
        nodes.forEach(QueueNode::close);
    }
}
