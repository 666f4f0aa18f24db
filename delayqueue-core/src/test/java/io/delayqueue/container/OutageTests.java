package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryDecision.RetryAfter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** The engine recovers by itself from each failure of Redis and of the network. */
class OutageTests {

    private static final Shard SHARD = Shard.single("t");
    /** The longest time from the end of an outage to the first delivery, with the tests' margin. */
    private static final Duration PROMISED = Duration.ofSeconds(5).multipliedBy(3);

    private static final Duration SWEEP = Duration.ofSeconds(1);
    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(300);

    /** A sweep and two timeouts, after which a connection is replaced. */
    private static final Duration NOTICED = SWEEP.plus(COMMAND_TIMEOUT.multipliedBy(2));

    private static final Duration LONGER_THAN_ANY_TIME_OUT = Duration.ofSeconds(3);
    private static final int LISTENERS = 5;

    private final Happenings happenings = new Happenings();
    private final List<QueueNode> nodes = new ArrayList<>();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private RedisServerProcess redis;
    private FaultProxy proxy;

    @BeforeEach
    void start() {
        redis = RedisServerProcess.builder()
                .appendOnly()
                .setting("key-load-delay", "400")
                .setting("loading-process-events-interval-bytes", "1024")
                .start();
        proxy = FaultProxy.inFrontOf(redis);
        log.start();
        logger().addAppender(log);
    }

    @AfterEach
    void stop() {
        logger().detachAppender(log);
        nodes.forEach(QueueNode::close);
        proxy.close();
        redis.close();
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger("io.delayqueue");
    }

    /** A node behind the proxy with five listeners, one of which has received a message. */
    private QueueNode working() {
        return working(behindProxy());
    }

    private QueueNode working(QueueNode node) {
        listen(node);
        deliver(sender(), "first");
        await().until(node.signals::confirmed);
        return node;
    }

    private QueueNode behindProxy() {
        return behindProxy(EngineSettings.DEFAULTS.sweep());
    }

    private QueueNode behindProxy(Duration sweep) {
        return start(QueueNode.on(proxy.port())
                .commandTimeout(COMMAND_TIMEOUT)
                .settings(Pacing.builtIn().sweep(sweep).settings()));
    }

    private QueueNode start(QueueNode.Builder builder) {
        QueueNode node = builder.events(happenings).start();
        nodes.add(node);
        return node;
    }

    private void listen(QueueNode node) {
        for (int i = 1; i < LISTENERS; i++) {
            node.listen("idle" + i, ListenerOptions.DEFAULTS, deliveries -> null);
        }
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> null);
    }

    /** A separate sender with a direct connection and a long command timeout. */
    private QueueNode sender() {
        QueueNode sender = QueueNode.on(redis.port()).start();
        nodes.add(sender);
        return sender;
    }

    private void deliver(QueueNode sender, String id) {
        sender.template.send(message(id));
        awaitDelivered(id);
    }

    private void awaitDelivered(String id) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> happenings.count("acknowledged " + id) == 1);
    }

    private static DelayMessage message(String id) {
        return DelayMessage.to("t").id(id).payload("").build();
    }

    private void assertRecovers(String fault) {
        assertRecovers(fault, PROMISED);
    }

    private void assertRecovers(String fault, Duration promised) {
        long answers = System.nanoTime();
        deliver(sender(), "after");
        Duration took = Duration.ofNanos(System.nanoTime() - answers);
        System.out.println("first delivery after " + fault + ": " + took.toMillis() + " ms");
        assertThat(took).isLessThan(promised);
        assertThat(happenings.of("deadLettered")).isEmpty();
    }

    private void assertQuiet(int lines) {
        List<String> told = log.list.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
        assertThat(told).hasSizeLessThanOrEqualTo(lines);
    }

    @Test
    void unavailableRedisDoesNotDelayTheStart() {
        redis.stop();
        long begin = System.nanoTime();
        listen(behindProxy());
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(3));
        await().until(() -> happenings.count("taskFailed") > LISTENERS);
        redis.restart();
        assertRecovers("Redis was away at the start");
        assertQuiet(3);
    }

    @Test
    void idleConsumersDeliverAgainAfterALongOutage() {
        QueueNode node = working();
        Map<String, CompletableFuture<Boolean>> answers = new ConcurrentHashMap<>();
        Queue<Acknowledgement> held = new ConcurrentLinkedQueue<>();
        node.listen("held", ListenerOptions.DEFAULTS, deliveries -> {
            held.add(deliveries.get(0).acknowledgement());
            return new CompletableFuture<>();
        });
        sender().template.send(DelayMessage.to("held").id("h").payload("").build());
        await().until(() -> held.size() == 1);
        int threads = engineThreads();
        redis.kill();
        answers.put("h", held.remove().acknowledge());
        proxy.traffic().reset();
        log.list.clear();
        await().during(LONGER_THAN_ANY_TIME_OUT).atMost(Duration.ofSeconds(30)).until(() -> !redis.isRunning());
        long attempts = happenings.count("taskFailed");
        System.out.println("failed tasks in an outage of " + LONGER_THAN_ANY_TIME_OUT.toSeconds() + " s: " + attempts
                + " of " + (LISTENERS + 2) + " tasks; connections tried: "
                + proxy.traffic().connections());
        assertThat(attempts).isLessThan((LISTENERS + 2) * (LONGER_THAN_ANY_TIME_OUT.toSeconds() + 2));
        assertQuiet(4);
        redis.restart();
        assertRecovers("an outage longer than any timeout");
        await().until(() -> answers.get("h").isDone());
        assertThat(answers.get("h").join()).isTrue();
        assertThat(engineThreads()).isLessThanOrEqualTo(threads + 1);
    }

    @ParameterizedTest
    @EnumSource(Direction.class)
    void halfOpenConnectionsAreReplaced(Direction direction) {
        working(behindProxy(SWEEP));
        proxy.halfOpen(direction);
        assertRecovers("a half-open connection, lost " + direction, NOTICED.multipliedBy(3));
        assertQuiet(4);
    }

    @Test
    void resetConnectionsAreReplaced() {
        working();
        proxy.disconnect();
        assertRecovers("a connection reset");
        redis.command("CLIENT", "KILL", "TYPE", "normal");
        deliver(sender(), "normal");
        redis.command("CLIENT", "KILL", "TYPE", "pubsub");
        deliver(sender(), "pubsub");
    }

    @Test
    void forgottenScriptsAreSentAgain() {
        working(start(QueueNode.on(proxy.port()).settings(Pacing.builtIn().settings())));
        redis.command("SCRIPT", "FLUSH");
        assertRecovers("SCRIPT FLUSH");
        assertQuiet(0);
    }

    @Test
    void deliveryContinuesAfterTheServerHung() {
        working(behindProxy(SWEEP));
        redis.pause();
        await().atMost(Duration.ofSeconds(30)).until(() -> happenings.count("taskFailed") > 0);
        redis.resume();
        assertRecovers("a server that hung");
    }

    @Test
    void replicaThatBecomesMasterIsServedAgain() {
        working(behindProxy(SWEEP));
        try (RedisServerProcess master = RedisServerProcess.start()) {
            redis.command("CONFIG", "SET", "replica-serve-stale-data", "yes");
            redis.command("REPLICAOF", "127.0.0.1", Integer.toString(master.port()));
            await().until(() -> happenings.count("taskFailed") > 0);
            redis.command("REPLICAOF", "NO", "ONE");
            assertRecovers("READONLY");
        }
        assertQuiet(6);
    }

    @Test
    void fullMemoryRejectsSendsAndDrains() {
        QueueNode node = working();
        ListenerOptions options = ListenerOptions.DEFAULTS.toBuilder()
                .retryPolicy(failed -> new RetryAfter(Duration.ofMillis(50)))
                .maxAttempts(2)
                .build();
        ListenerContainer container = node.container("u", Shard.QueueKind.MESSAGES, options, deliveries -> {
            int number = Integer.parseInt(deliveries.get(0).id().substring(1));
            if (number % 10 == 0 || (number % 10 == 1 && deliveries.get(0).attempt() == 1)) {
                throw new IllegalStateException("fails");
            }
            return null;
        });
        List<DelayMessage> backlog = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            backlog.add(
                    DelayMessage.to("u").id("u" + i).payload("x".repeat(1000)).build());
        }
        QueueNode sender = sender();
        sender.template.sendAll(backlog);
        redis.command("CONFIG", "SET", "maxmemory", "1mb");
        assertThatThrownBy(() -> sender.template.send(message("rejected"))).hasMessageContaining("OOM");
        container.start();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> happenings.count("acknowledged u") == 450 && happenings.count("deadLettered u") == 50);
        assertThat(happenings.count("retried u")).isEqualTo(100);
        redis.command("CONFIG", "SET", "maxmemory", "0");
        deliver(sender, "after");
    }

    @Test
    void deliveryContinuesAfterAFlush() throws Exception {
        QueueNode node = working();
        CountDownLatch flushed = new CountDownLatch(1);
        CountDownLatch running = new CountDownLatch(1);
        Queue<Boolean> accepted = new ConcurrentLinkedQueue<>();
        node.listen("u", ListenerOptions.DEFAULTS, deliveries -> {
            running.countDown();
            assertThat(flushed.await(30, TimeUnit.SECONDS)).isTrue();
            accepted.add(deliveries.get(0).acknowledgement().acknowledge().get(30, TimeUnit.SECONDS));
            return null;
        });
        sender().template.send(DelayMessage.to("u").id("u").payload("").build());
        assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
        redis.command("FLUSHALL");
        flushed.countDown();
        await().atMost(Duration.ofSeconds(30)).until(() -> accepted.size() == 1);
        assertThat(accepted).containsExactly(false);
        assertRecovers("FLUSHALL");
        assertThat(node.store.awaitCount(SHARD).scheduled()).isZero();
    }

    @Test
    void deliveryContinuesAfterTheServerLoaded() {
        // a server that loads replies late
        working(start(QueueNode.on(proxy.port())
                .settings(Pacing.builtIn().sweep(SWEEP).settings())));
        redis.command("EVAL", "for i = 1, 10000 do redis.call('SET', 'filler' .. i, 'x') end", "0");
        redis.kill();
        redis.restart();
        await().until(() -> happenings.of("taskFailed").stream().anyMatch(line -> line.contains("LOADING")));
        assertRecovers("LOADING");
        assertQuiet(4);
    }

    private static int engineThreads() {
        return (int) Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("delayqueue-task"))
                .count();
    }
}
