package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.coordination.KnownNodes;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Other nodes deliver the messages of a shard whose assigned node hangs, fails, is paused or is full. */
class ShardTakeoverTests extends NodeTest {

    private static final List<String> TOPICS = List.of("t0", "t1", "t2", "t3", "t4", "t5", "sharded");
    private static final int SHARDS = 6;

    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final CountDownLatch stuck = new CountDownLatch(TOPICS.size());

    ShardTakeoverTests(RedisServerProcess redis) {
        super(redis);
    }

    /** One of the two nodes is assigned; each hangs once. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void messagesOfAHangingAssignedNodeAreTakenByAnotherWithASweep(int hanging) {
        try (FaultProxy proxy = FaultProxy.inFrontOf(redis)) {
            for (int i = 0; i < 2; i++) {
                QueueNode.Builder node = QueueNode.on(i == hanging ? proxy.port() : redis.port());
                add(i == hanging ? node : node.time(time)).listen("t", ListenerOptions.DEFAULTS, this::handle);
                await().until(nodes.get(i).signals::confirmed);
            }
            proxy.blackHole(Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT);

            String id = nodes.get(1 - hanging).template.send("t", "m").id();
            time.passUntil(STEP, () -> handled.contains(id));
            proxy.pass();
            proxy.disconnect();
            stopNodes();
        }
    }

    @Test
    void shardsOfAFailedNodeAreSweptAfterTheTimeout() {
        QueueNode.Builder builder = on(redis.port(), EngineSettings.DEFAULTS).scripts(clock::over);
        QueueNode survivor = add(builder.time(time));
        QueueNode failed = builder.time(new MovableTime()).start();
        listenToAll(survivor, ListenerOptions.DEFAULTS);
        listenToAll(failed, ListenerOptions.DEFAULTS);
        awaitAssignedNodesOf(survivor, 2);
        assertThat(assignedNodes(survivor)).contains(failed.name);

        failed.abandon();
        List<String> ids = sendToAll(survivor, "later", Duration.ofMinutes(1));
        time.passUntil(STEP, () -> handled.containsAll(ids));
        time.passUntil(STEP, () -> assignedNodes(survivor).stream().allMatch(survivor.name::equals));
    }

    @Test
    void leavingOrPausedConsumerDelaysNoMessage() {
        EngineSettings quiet = Pacing.quiet().settings();
        try (QueueNode staying = listening(quiet);
                QueueNode pausing = on(redis.port(), quiet).start()) {
            List<ListenerContainer> listeners = listenToAll(pausing, ListenerOptions.DEFAULTS);
            QueueNode leaving = listening(quiet);
            awaitAssignedNodesOf(staying, 3);
            leaving.close();
            deliversAll(staying, "left");
            awaitAssignedNodesOf(staying, 2);
            listeners.forEach(ListenerContainer::pause);
            deliversAll(staying, "paused");
            awaitAssignedNodesOf(staying, 1);
        }
    }

    /** The full node does not learn what happened to the first message. It must signal a second message and a later head too. */
    @Test
    void messagesAfterTheSignalOfAFullAssignedPollerAreClaimedToo() throws Exception {
        besideFullNode(idle -> {
            deliversAll(idle, "first");
            deliversAll(idle, "second");
            List<String> later = sendToAll(idle, "later", Duration.ofMillis(500));
            deliversAll(idle, "third");
            await().untilAsserted(() -> assertThat(handled).containsAll(later));
        });
    }

    /** Leases are long, so that no renewal polls. */
    private void besideFullNode(Consumer<QueueNode> test) throws Exception {
        EngineSettings quiet = Pacing.quiet().settings();
        ListenerOptions many = ListenerOptions.DEFAULTS.toBuilder()
                .lease(Duration.ofMinutes(5))
                .build();
        ListenerOptions one = many.toBuilder().concurrency(1).prefetch(0).build();
        try (QueueNode full = on(redis.port(), quiet).start()) {
            listenToAll(full, one);
            TOPICS.forEach(topic -> full.template.send(
                    DelayMessage.to(topic).id("stuck-" + topic).payload("").build()));
            assertThat(stuck.await(60, TimeUnit.SECONDS)).isTrue();
            try (QueueNode idle = on(redis.port(), quiet).start()) {
                listenToAll(idle, many);
                awaitAssignedNodesOf(idle, 2);
                test.accept(idle);
            } finally {
                release.countDown();
            }
        }
    }

    private QueueNode.Builder on(int port, EngineSettings settings) {
        return QueueNode.on(port).shards("sharded", SHARDS).settings(settings);
    }

    private static int shards(String topic) {
        return topic.equals("sharded") ? SHARDS : 1;
    }

    /** Sends a message to each shard of each topic. */
    private static List<String> sendToAll(QueueNode node, String what, Duration delay) {
        return sendToAll(node, what, delay, TOPICS);
    }

    private static List<String> sendToAll(QueueNode node, String what, Duration delay, List<String> topics) {
        List<String> ids = new ArrayList<>();
        for (String topic : topics) {
            Set<Integer> reached = new HashSet<>();
            for (int i = 0; reached.size() < shards(topic); i++) {
                String id = what + "-" + topic + "-" + i;
                if (reached.add(Shard.of(topic, id, shards(topic)).index())) {
                    ids.add(id);
                    node.template.send(DelayMessage.to(topic)
                            .id(id)
                            .payload("")
                            .delay(delay)
                            .build());
                }
            }
        }
        return ids;
    }

    private QueueNode listening(EngineSettings settings) {
        QueueNode node = on(redis.port(), settings).start();
        listenToAll(node, ListenerOptions.DEFAULTS);
        return node;
    }

    private List<ListenerContainer> listenToAll(QueueNode node, ListenerOptions options) {
        return TOPICS.stream()
                .map(topic -> node.listen(topic, options, this::handle))
                .toList();
    }

    private @Nullable CompletionStage<?> handle(List<Delivery> deliveries) throws InterruptedException {
        String id = deliveries.get(0).id();
        handled.add(id);
        if (id.startsWith("stuck")) {
            stuck.countDown();
            assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
        }
        return null;
    }

    private static List<String> assignedNodes(QueueNode node) {
        KnownNodes knownNodes = node.directory.read();
        return TOPICS.stream()
                .flatMap(topic -> knownNodes.assignedNodes(topic, shards(topic)).stream())
                .toList();
    }

    /** Waits until shards are assigned to this number of nodes, and all of them receive signals. */
    private static void awaitAssignedNodesOf(QueueNode node, int nodes) {
        await().until(() -> {
            List<String> assignedNodes = assignedNodes(node);
            return assignedNodes.size()
                            == TOPICS.stream()
                                    .mapToInt(ShardTakeoverTests::shards)
                                    .sum()
                    && node.directory.read().nodes().stream()
                                    .filter(member -> member.assignable().containsAll(TOPICS))
                                    .count()
                            == nodes
                    && node.signals.confirmed();
        });
    }

    private void deliversAll(QueueNode from, String what) {
        List<String> ids = sendToAll(from, what, Duration.ZERO);
        await().untilAsserted(() -> assertThat(handled).as(what).containsAll(ids));
        assertThat(happenings.of("sweepFound")).isEmpty();
    }
}
