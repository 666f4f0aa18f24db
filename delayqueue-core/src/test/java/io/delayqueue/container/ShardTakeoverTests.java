package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.coordination.KnownNodes;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.store.bench.ServerClock;
import io.delayqueue.test.junit.EmbeddedRedis;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Other nodes deliver the messages of a shard whose assigned node hangs, fails, is paused or is full. */
@EmbeddedRedis
class ShardTakeoverTests {

    private static final List<String> TOPICS = List.of("t0", "t1", "t2", "t3", "t4", "t5", "sharded");
    private static final int SHARDS = 6;

    private static final Duration STEP = EngineSettings.DEFAULTS.sweep();

    private final RedisServerProcess redis;
    private final Happenings happenings = new Happenings();
    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final CountDownLatch stuck = new CountDownLatch(TOPICS.size());
    private final CountDownLatch release = new CountDownLatch(1);

    ShardTakeoverTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void flush() {
        redis.flush();
    }

    /** One of the two nodes is assigned; each hangs once. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void messagesOfAHangingAssignedNodeAreTakenByAnotherWithASweep(int hanging) {
        MovableTime time = new MovableTime();
        try (FaultProxy proxy = FaultProxy.inFrontOf(redis)) {
            List<QueueNode> nodes = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                QueueNode.Builder node = QueueNode.on(i == hanging ? proxy.port() : redis.port());
                nodes.add(i == hanging ? node.start() : node.time(time).start());
                nodes.get(i).listen("t", ListenerOptions.DEFAULTS, this::handle);
                await().until(nodes.get(i).signals::confirmed);
            }
            proxy.blackHole(Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT);

            String id = nodes.get(1 - hanging).template.send("t", "m").id();
            time.passUntil(STEP, () -> handled.contains(id));
            proxy.pass();
            proxy.disconnect();
            nodes.forEach(QueueNode::close);
        }
    }

    @Test
    @Tag("long")
    @Tag("core")
    void messagesOfAHangingAssignedNodeAreTakenByAnotherWithinASweep() {
        try (FaultProxy firstProxy = FaultProxy.inFrontOf(redis);
                FaultProxy secondProxy = FaultProxy.inFrontOf(redis);
                QueueNode first = listening(firstProxy);
                QueueNode second = listening(secondProxy)) {
            for (FaultProxy hanging : List.of(firstProxy, secondProxy)) {
                await().until(() -> first.signals.confirmed() && second.signals.confirmed());
                hanging.blackHole(Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT);
                QueueNode other = hanging.equals(firstProxy) ? second : first;
                String id =
                        other.template.send("t", "m", Duration.ofMillis(500)).id();
                long start = System.nanoTime();
                await().until(() -> handled.contains(id));
                Duration took = Duration.ofNanos(System.nanoTime() - start);
                System.out.println("delivered while a node hangs, after " + took);
                hanging.pass();
                hanging.disconnect();
                assertThat(took).isLessThan(EngineSettings.DEFAULTS.sweep().multipliedBy(3));
            }
        }
    }

    private QueueNode listening(FaultProxy proxy) {
        QueueNode node = new QueueNode(proxy.port(), EngineSettings.DEFAULTS);
        node.listen("t", ListenerOptions.DEFAULTS, this::handle);
        return node;
    }

    @Test
    void shardsOfAFailedNodeAreSweptAfterTheTimeout() {
        ServerClock clock = new ServerClock(redis);
        MovableTime time = new MovableTime(clock);
        try (QueueNode survivor = failing(clock, time)) {
            MovableTime stopped = new MovableTime();
            QueueNode failed = failing(clock, stopped);
            awaitAssignedNodesOf(survivor, 2);
            assertThat(assignedNodes(survivor)).contains(failed.name);
            failed.abandon();
            List<String> ids = sendToAll(survivor, "later", Duration.ofMinutes(1));
            time.passUntil(STEP, () -> handled.containsAll(ids));
            time.passUntil(STEP, () -> assignedNodes(survivor).stream().allMatch(survivor.name::equals));
        }
    }

    private QueueNode failing(ServerClock clock, MovableTime time) {
        QueueNode node = on(redis.port(), EngineSettings.DEFAULTS)
                .scripts(clock::over)
                .time(time)
                .start();
        listenToAll(node, ListenerOptions.DEFAULTS);
        return node;
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

    @Test
    void fullAssignedPollerWakesIdlePollers() throws Exception {
        besideFullNode(idle -> deliversAll(idle, "full"));
    }

    @RepeatedTest(20)
    @Tag("long")
    @Tag("core")
    void fullAssignedPollerWakesIdlePollersAgain() throws Exception {
        besideFullNode(idle -> deliversAll(idle, "full"));
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

    /**
     * A listener claims from several shards at once, and the first poller may have reserved its whole budget. Without
     * signals, and if another listener is assigned, only the poll at the start finds the due messages.
     */
    @Test
    void dueMessagesFoundWithoutCapacityAreClaimedWhenThereIsSome() throws Exception {
        GatedStore gated = new GatedStore();
        ListenerOptions one =
                ListenerOptions.DEFAULTS.toBuilder().concurrency(1).prefetch(0).build();
        try (QueueNode node = on(redis.port(), Pacing.quiet().settings())
                .trusting()
                .store(gated)
                .start()) {
            node.template.send(
                    DelayMessage.to("sharded").id("stuck").payload("").build());
            node.listen("sharded", one, this::handle);
            await().until(() -> stuck.getCount() < TOPICS.size());
            List<String> ids = sendToAll(node, "due", Duration.ZERO, List.of("sharded"));

            AtomicInteger looks = new AtomicInteger();
            gated.set(poll -> {
                boolean first = looks.getAndIncrement() == 0;
                Object reply = poll.call();
                if (first) {
                    await().until(() -> looks.get() >= SHARDS);
                }
                return reply;
            });
            node.listen("sharded", ListenerOptions.DEFAULTS, this::handle);
            await().untilAsserted(() -> assertThat(handled).containsAll(ids));
            release.countDown();
        }
    }

    private QueueNode.Builder on(int port, EngineSettings settings) {
        return QueueNode.on(port).shards("sharded", SHARDS).settings(settings).events(happenings);
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
