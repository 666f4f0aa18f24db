package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisRequest;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The number of commands that the queue sends, counted by a proxy. */
@EmbeddedRedis(dedicated = true)
class RoundTripTests {

    private static final int POLL_KEYS = 9;

    private final RedisServerProcess redis;
    private final Happenings happenings = new Happenings();
    private final List<QueueNode> nodes = new ArrayList<>();
    private FaultProxy proxy;

    RoundTripTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void startProxy() {
        redis.flush();
        proxy = FaultProxy.inFrontOf(redis);
    }

    @AfterEach
    void stopNodes() {
        nodes.forEach(QueueNode::close);
        proxy.close();
    }

    private QueueNode node(EngineSettings settings) {
        QueueNode node = new QueueNode(proxy.port(), settings, happenings);
        nodes.add(node);
        return node;
    }

    @Test
    void loneMessageCostsOneSendOneClaimAndOneSettle() {
        CountDownLatch pruned = new CountDownLatch(1);
        QueueNode node = QueueNode.on(proxy.port())
                .settings(Pacing.quiet().settings())
                .events(happenings)
                .scripts(real -> call -> real.run(call).whenComplete((reply, failure) -> {
                    if (call.script().name().equals("purge")) {
                        pruned.countDown();
                    }
                }))
                .start();
        nodes.add(node);
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> null);
        node.template.send("t", "warms up", Duration.ofMillis(50));
        await().until(() -> happenings.count("acknowledged") == 1 && node.signals.confirmed());
        await().until(() -> pruned.getCount() == 0);
        awaitHeartbeatWithTopics(node, 1);

        proxy.traffic().reset();
        for (int i = 1; i <= 5; i++) {
            int expected = 1 + i;
            node.template.send("t", "hello", Duration.ofMillis(100L * i));
            await().until(() -> happenings.count("acknowledged") == expected);
        }

        assertThat(proxy.traffic().requestsByName()).isEqualTo(Map.of("EVALSHA", 3L * 5));
    }

    @Test
    void busyBacklogCostsATenthOfARoundTripPerMessageAtMost() {
        int count = 20_000;
        QueueNode node = node(EngineSettings.DEFAULTS);
        List<DelayMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(DelayMessage.to("t").id("m" + i).payload("p" + i).build());
        }
        node.template.sendAll(messages);
        proxy.traffic().reset();
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> null);
        await().atMost(Duration.ofSeconds(60)).until(() -> happenings.count("acknowledged") == count);

        double perMessage = (double) proxy.traffic().roundTrips() / count;
        System.out.println("round trips per message of a busy backlog: " + perMessage);
        assertThat(perMessage).isLessThan(0.1);
        assertThat(happenings.count("started")).isEqualTo(count);
        assertThat(node.store.awaitCount(Shard.single("t")).leased()).isZero();
    }

    @Test
    void idleNodeCostsOneSweepPerTopicAndOneHeartbeatWhateverItsListeners() {
        Duration interval = Duration.ofMillis(500);
        int topics = 10;
        QueueNode node =
                node(Pacing.builtIn().sweep(interval).heartbeat(interval).settings());
        for (int i = 0; i < topics; i++) {
            node.listen("t" + i, ListenerOptions.DEFAULTS, deliveries -> null);
            node.listen("t" + i, ListenerOptions.DEFAULTS, deliveries -> null);
        }
        await().until(node.signals::confirmed);
        awaitHeartbeatWithTopics(node, topics);
        awaitHeartbeats(2);

        redis.command("CONFIG", "RESETSTAT");
        long begin = System.nanoTime();
        awaitHeartbeats(6);
        Map<String, String> stats = redis.info("commandstats");
        double intervals = (double) (System.nanoTime() - begin) / interval.toNanos();

        long sweeps = calls(stats, "hmget");
        long beats = calls(stats, "zadd");
        System.out.printf("idle: %d sweeps and %d heartbeats in %.1f intervals%n", sweeps, beats, intervals);
        assertThat(sweeps).isBetween((long) (topics * (intervals / 3)), (long) (topics * (intervals + 1)));
        assertThat(beats).isBetween((long) (intervals / 3), (long) (intervals + 1));
        assertThat(calls(stats, "evalsha")).isEqualTo(sweeps + beats);
        assertThat(innerCalls(stats)).isEqualTo(5 * sweeps + 8 * beats);
    }

    @Test
    void ofThreeNodesOneSweeps() {
        Duration sweep = Duration.ofMillis(300);
        // a late heartbeat would make all nodes poll
        Duration heartbeat = Duration.ofSeconds(1);
        for (int i = 0; i < 3; i++) {
            node(Pacing.builtIn().sweep(sweep).heartbeat(heartbeat).settings())
                    .listen("t", ListenerOptions.DEFAULTS, deliveries -> null);
        }
        nodes.forEach(node -> await().until(node.signals::confirmed));
        awaitHeartbeats(3 * 2);

        proxy.traffic().startRecording();
        awaitHeartbeats(3 * 3);
        List<RedisRequest> sweeps = polls(proxy.traffic().recorded());
        assertThat(sweeps).hasSizeGreaterThan(1);
        assertThat(sweeps.stream().map(RoundTripTests::consumer).collect(Collectors.toSet()))
                .hasSize(1);
    }

    /** Waits for the heartbeat that a further listener causes at once. */
    private static void awaitHeartbeatWithTopics(QueueNode node, int topics) {
        await().until(() -> node.directory.read().nodes().stream()
                .anyMatch(member -> member.assignable().size() == topics));
    }

    private void awaitHeartbeats(int more) {
        long beats = heartbeats();
        await().until(() -> heartbeats() >= beats + more);
    }

    private long heartbeats() {
        return calls(redis.info("commandstats"), "zadd");
    }

    private static List<RedisRequest> polls(List<RedisRequest> requests) {
        return requests.stream()
                .filter(RedisRequest::isScript)
                .filter(request -> request.arguments().get(1).equals(Integer.toString(POLL_KEYS)))
                .toList();
    }

    private static String consumer(RedisRequest poll) {
        return poll.arguments().get(2 + POLL_KEYS + 3);
    }

    private static long calls(Map<String, String> stats, String command) {
        String entry = stats.get("cmdstat_" + command);
        return entry == null ? 0 : Long.parseLong(entry.replaceAll("calls=(\\d+),.*", "$1"));
    }

    private static long innerCalls(Map<String, String> stats) {
        Set<String> outer = Set.of("evalsha", "info", "config|resetstat", "config", "ping", "hello");
        return stats.keySet().stream()
                .map(name -> name.substring("cmdstat_".length()))
                .filter(name -> !outer.contains(name))
                .mapToLong(name -> calls(stats, name))
                .sum();
    }
}
