package io.delayqueue.proof;

import io.delayqueue.container.Pacing;
import io.delayqueue.container.QueueNode;
import io.delayqueue.listener.ListenerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Nodes on one Redis, whatever its topology, that consume one topic under a load. */
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

    /** A further node, which does not listen. */
    QueueNode node() {
        QueueNode node = redis.get()
                .shards(Load.TOPIC, shards)
                .settings(Pacing.builtIn().settings())
                .events(load, ledger)
                .start();
        nodes.add(node);
        return node;
    }

    /** Two further nodes that consume. */
    void listen() {
        ListenerOptions options = ListenerOptions.DEFAULTS.toBuilder()
                .lease(Duration.ofSeconds(3))
                .build();
        node().listen(Load.TOPIC, options, load::handle);
        node().listen(Load.TOPIC, options, load::handle);
    }

    QueueNode first() {
        return nodes.get(0);
    }

    /** Ends the load and waits until no message is left; then ends the nodes, so that nothing happens any more. */
    void finish() {
        load.stop();
        load.awaitEmpty(first());
        nodes.forEach(QueueNode::close);
        nodes.clear();
    }

    @Override
    public void close() {
        load.stop();
        nodes.forEach(QueueNode::close);
    }
}
