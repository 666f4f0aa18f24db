package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.coordination.Roster;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** A node that watches a shard may hang, die, be paused or full. */
@EmbeddedRedis
class NeglectedShardTests {

    private static final List<String> TOPICS = List.of("t0", "t1", "t2", "t3", "t4", "t5", "sharded");
    private static final int SHARDS = 6;

    private final RedisServerProcess redis;
    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final CountDownLatch stuck = new CountDownLatch(TOPICS.size());
    private final CountDownLatch release = new CountDownLatch(1);

    NeglectedShardTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void flush() {
        redis.flush();
    }

    @Test
    void whatAHangingWatcherLeavesIsTakenByAnotherWithinASweep() {
        try (FaultProxy firstProxy = FaultProxy.inFrontOf(redis);
                FaultProxy secondProxy = FaultProxy.inFrontOf(redis);
                QueueNode first = listening(firstProxy);
                QueueNode second = listening(secondProxy)) {
            await().until(() -> first.signals.confirmed() && second.signals.confirmed());
            // one of the two watches; whichever it is, it hangs once
            delivers(firstProxy, second, "while the first hangs");
            await().atMost(Duration.ofSeconds(30)).until(first.signals::confirmed);
            delivers(secondProxy, first, "while the second hangs");
        }
    }

    private QueueNode listening(FaultProxy proxy) {
        QueueNode node = new QueueNode(proxy.port(), EngineSettings.DEFAULTS);
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> {
            handled.add(deliveries.get(0).id());
            return null;
        });
        return node;
    }

    private void delivers(FaultProxy hanging, QueueNode other, String what) {
        hanging.blackHole(Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT);
        String id = other.template.send("t", what, Duration.ofMillis(500)).id();
        long start = System.nanoTime();
        await().atMost(EngineSettings.DEFAULTS.sweep().multipliedBy(3)).until(() -> handled.contains(id));
        System.out.println("delivered " + what + " after " + Duration.ofNanos(System.nanoTime() - start));
        hanging.pass();
        hanging.disconnect();
        assertThat(handled).contains(id);
    }

    @Test
    void whatADeadWatcherLeavesIsLookedAfterWithinTheTimeOutAndASweep() {
        EngineSettings settings = Pacing.builtIn()
                .sweep(Duration.ofSeconds(1))
                .heartbeat(Duration.ofSeconds(1))
                .settings();
        try (QueueNode survivor = listening(settings)) {
            QueueNode dying = listening(settings);
            awaitWatchersOf(survivor, 2);
            List<String> watchers = watchers(survivor);
            dying.abandon();
            long start = System.nanoTime();
            List<String> ids = sendToAll(survivor, "later", Duration.ofMillis(500));
            Duration promised = settings.heartbeatTimeout().plus(settings.sweep());
            await().atMost(promised.multipliedBy(3)).until(() -> handled.containsAll(ids));
            awaitWatchersOf(survivor, 1);
            System.out.printf(
                    "%d of %d shards had lost their watcher; all looked after in %s, promised are %s%n",
                    Collections.frequency(watchers, dying.name),
                    watchers.size(),
                    Duration.ofNanos(System.nanoTime() - start),
                    promised);
        }
    }

    @Test
    void whoeverLeavesOrPausesLeavesNothingLate() {
        EngineSettings quiet = Pacing.quiet().settings();
        try (QueueNode staying = listening(quiet);
                QueueNode pausing = on(redis.port(), quiet).start()) {
            List<ListenerContainer> listeners = listenToAll(pausing, ListenerOptions.DEFAULTS);
            QueueNode leaving = listening(quiet);
            awaitWatchersOf(staying, 3);
            leaving.close();
            deliversAll(staying, "left");
            awaitWatchersOf(staying, 2);
            listeners.forEach(ListenerContainer::pause);
            deliversAll(staying, "paused");
            awaitWatchersOf(staying, 1);
        }
    }

    /** Its lease is long, so that no renewal looks by the way. */
    @RepeatedTest(20)
    void fullWatcherCallsThoseWhoAreIdle() throws Exception {
        EngineSettings quiet = Pacing.quiet().settings();
        ListenerOptions one = ListenerOptions.DEFAULTS.toBuilder()
                .concurrency(1)
                .prefetch(0)
                .lease(Duration.ofMinutes(5))
                .build();
        try (QueueNode full = on(redis.port(), quiet).start()) {
            listenToAll(full, one);
            TOPICS.forEach(topic -> full.template.send(
                    DelayMessage.to(topic).id("stuck-" + topic).payload("").build()));
            assertThat(stuck.await(30, TimeUnit.SECONDS)).isTrue();
            try (QueueNode idle = listening(quiet)) {
                awaitWatchersOf(idle, 2);
                deliversAll(idle, "full");
            } finally {
                release.countDown();
            }
        }
    }

    private static QueueNode.Builder on(int port, EngineSettings settings) {
        return QueueNode.on(port).shards("sharded", SHARDS).settings(settings);
    }

    private static int shards(String topic) {
        return topic.equals("sharded") ? SHARDS : 1;
    }

    /** A message to each shard of each topic. */
    private static List<String> sendToAll(QueueNode node, String what, Duration delay) {
        List<String> ids = new ArrayList<>();
        for (String topic : TOPICS) {
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
                .map(topic -> node.listen(topic, options, deliveries -> {
                    String id = deliveries.get(0).id();
                    handled.add(id);
                    if (id.startsWith("stuck")) {
                        stuck.countDown();
                        assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
                    }
                    return null;
                }))
                .toList();
    }

    private static List<String> watchers(QueueNode node) {
        Roster roster = node.directory.roster();
        return TOPICS.stream()
                .flatMap(topic -> roster.watchers(topic, shards(topic)).stream())
                .toList();
    }

    /** Until so many nodes take turns, as they have all heard, and hear signals. */
    private static void awaitWatchersOf(QueueNode node, int nodes) {
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            List<String> watchers = watchers(node);
            return watchers.size()
                            == TOPICS.stream()
                                    .mapToInt(NeglectedShardTests::shards)
                                    .sum()
                    && node.directory.roster().nodes().stream()
                                    .filter(member -> member.watched().containsAll(TOPICS))
                                    .count()
                            == nodes
                    && node.signals.confirmed();
        });
    }

    /** Far sooner than a sweep, which is a minute away. */
    private void deliversAll(QueueNode from, String what) {
        long start = System.nanoTime();
        List<String> ids = sendToAll(from, what, Duration.ZERO);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(handled).as(what).containsAll(ids));
        System.out.println("delivered what a watcher did not take, which was " + what + ": after "
                + Duration.ofNanos(System.nanoTime() - start));
    }
}
