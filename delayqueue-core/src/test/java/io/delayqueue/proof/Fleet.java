package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.Pacing;
import io.delayqueue.container.QueueNode;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ManagedListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
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
    List<ManagedListener> startConsumers() {
        ListenerOptions options = ListenerOptions.DEFAULTS.toBuilder()
                .lease(Duration.ofSeconds(3))
                .build();
        return List.of(
                startNode().listen(Load.TOPIC, options, load::handle),
                startNode().listen(Load.TOPIC, options, load::handle));
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

    /** Waits for deliveries from some shards. */
    void awaitDeliveries(IntPredicate shards, long since, int count) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> load.deliveries.count(shards, since, Long.MAX_VALUE) >= count);
    }

    /** Checks that no message was lost, except by a cancel of unknown outcome, and none was settled twice. */
    void check() {
        ledger.checkLeases();
        assertThat(load.unsettled()).allMatch(load.unknownOutcomes::contains);
        assertThat(load.settledTwice()).isEmpty();
    }

    @Override
    public void close() {
        load.stop();
        nodes.forEach(QueueNode::close);
    }
}
