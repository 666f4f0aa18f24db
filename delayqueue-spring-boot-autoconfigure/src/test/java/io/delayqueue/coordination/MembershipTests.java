package io.delayqueue.coordination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Several nodes, each stepped by hand. */
@EmbeddedRedis
class MembershipTests {

    private static final Duration TIMEOUT = Duration.ofSeconds(15);
    private static final List<Shard> SHARDS =
            List.of(Shard.single("a"), Shard.single("b"), Shard.single("c"), Shard.single("d"), Shard.single("e f%g"));

    private final RedisServerProcess redis;
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private LettuceConnectionFactory application;
    private QueueConnections connections;
    private ScriptRunner scripts;
    private boolean blackOut;
    private long ahead;

    MembershipTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void connect() {
        redis.flush();
        application = new LettuceConnectionFactory("127.0.0.1", redis.port());
        application.afterPropertiesSet();
        application.start();
        connections =
                new QueueConnections(application, QueueConnections.Settings.defaults(), executor, System::nanoTime);
        scripts = unlessBlackedOut(new RedisScripts(connections));
    }

    @AfterEach
    void disconnect() {
        connections.close();
        application.destroy();
        executor.shutdownNow();
    }

    private ScriptRunner unlessBlackedOut(ScriptRunner real) {
        return (ScriptRunner) Proxy.newProxyInstance(
                ScriptRunner.class.getClassLoader(),
                new Class<?>[] {ScriptRunner.class},
                (proxy, method, arguments) -> {
                    if (blackOut) {
                        throw new IllegalStateException("Redis is away");
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** A node that consumes all shards. */
    private final class Node {

        private final String name;
        private final Membership membership;
        private final List<Seat> seats = new ArrayList<>();
        private final AtomicInteger told = new AtomicInteger();

        Node(String name) {
            this.name = name;
            this.membership = new Membership(
                    scripts, new KeySpace("dq"), name, Duration.ofSeconds(5), TIMEOUT, () -> System.nanoTime() + ahead);
            SHARDS.forEach(shard -> seats.add(membership.join(shard, told::incrementAndGet)));
        }

        void beat() {
            assertThat(membership.step()).isEqualTo(Duration.ofSeconds(5));
        }

        long watched() {
            return seats.stream().filter(Seat::watches).count();
        }

        boolean isListed() {
            return redis.command("HGET", "dq:{nodes}:topics", name) != null;
        }
    }

    private static void assertEachIsWatchedOnce(Node... nodes) {
        for (int i = 0; i < SHARDS.size(); i++) {
            int watchers = 0;
            for (Node node : nodes) {
                watchers += node.seats.get(i).watches() ? 1 : 0;
            }
            assertThat(watchers).as("watchers of " + SHARDS.get(i)).isEqualTo(1);
        }
    }

    @Test
    void nodeThatKnowsNobodyWatchesEverything() {
        Node one = new Node("one");
        assertThat(one.watched()).isEqualTo(SHARDS.size());
        assertThat(one.seats.get(0).hasPeers()).isFalse();
        one.beat();
        assertThat(one.watched()).isEqualTo(SHARDS.size());
        assertThat(one.told).hasValue(SHARDS.size());
    }

    @Test
    void joinsAndLeavesDealAnew() {
        Node one = new Node("one");
        Node two = new Node("two");
        Node three = new Node("three");
        for (int round = 0; round < 2; round++) {
            List.of(one, two, three).forEach(Node::beat);
        }
        assertEachIsWatchedOnce(one, two, three);
        assertThat(one.seats).allMatch(Seat::hasPeers);

        three.membership.leave(Duration.ofSeconds(5));
        assertThat(three.isListed()).isFalse();
        one.beat();
        two.beat();
        assertEachIsWatchedOnce(one, two);
        two.seats.forEach(Seat::leave);
        two.beat();
        one.beat();
        assertThat(one.watched()).isEqualTo(SHARDS.size());
    }

    @Test
    void silentNodeCountsAsDeadAfterTheTimeOut() {
        Node one = new Node("one");
        Node dead = new Node("dead");
        one.beat();
        dead.beat();
        one.beat();
        assertEachIsWatchedOnce(one, dead);
        assertThat(dead.watched()).isPositive();

        long silent = TIMEOUT.toMillis() - 1000;
        redis.command("ZINCRBY", "dq:{nodes}:seen", "-" + silent, "dead");
        one.beat();
        assertThat(dead.isListed()).isTrue();
        redis.command("ZINCRBY", "dq:{nodes}:seen", "-2000", "dead");
        one.beat();
        assertThat(dead.isListed()).isFalse();
        assertThat(one.watched()).isEqualTo(SHARDS.size());
        dead.beat();
        one.beat();
        assertEachIsWatchedOnce(one, dead);
    }

    @Test
    void nodeInTheDarkWatchesEverythingAndTellsThoseWhoSleep() {
        Node one = new Node("one");
        Node two = new Node("two");
        List.of(one, two, one).forEach(Node::beat);
        long mine = one.watched();
        assertThat(mine).isLessThan(SHARDS.size());
        one.told.set(0);

        blackOut = true;
        assertThatThrownBy(one.membership::step).hasMessage("Redis is away");
        assertThat(one.watched()).isEqualTo(mine);
        ahead = TIMEOUT.plusSeconds(1).toNanos();
        assertThatThrownBy(one.membership::step).hasMessage("Redis is away");
        assertThat(one.watched()).isEqualTo(SHARDS.size());
        assertThat(one.told).hasValue((int) (SHARDS.size() - mine));

        blackOut = false;
        one.beat();
        two.beat();
        assertEachIsWatchedOnce(one, two);
    }

    @Test
    void listIsHeardAnewAfterAFlush() {
        Node one = new Node("one");
        Node two = new Node("two");
        List.of(one, two, one).forEach(Node::beat);
        redis.command("FLUSHALL");
        Node three = new Node("three");
        // as many changes as before, but another list: two is gone
        three.beat();
        one.beat();
        three.beat();
        one.beat();
        assertEachIsWatchedOnce(one, three);
    }

    @Test
    void secondListenerOfANodeWatchesWhenTheFirstLeaves() {
        Node one = new Node("one");
        AtomicInteger told = new AtomicInteger();
        Seat second = one.membership.join(SHARDS.get(0), told::incrementAndGet);
        one.beat();
        assertThat(one.seats.get(0).watches()).isTrue();
        assertThat(second.watches()).isFalse();
        assertThat(second.hasPeers()).isTrue();
        one.seats.get(0).leave();
        assertThat(second.watches()).isTrue();
        assertThat(told).hasValue(1);
    }

    @Test
    void topicsThatArePausedAreHeardWithTheNextHeartbeat() {
        NodeDirectory directory = new NodeDirectory(scripts, new KeySpace("dq"), TIMEOUT);
        directory.pause("b");
        Node one = new Node("one");
        AtomicInteger changes = new AtomicInteger();
        TopicPauses pauses = one.membership.pauses();
        Runnable uninterested = pauses.watch(changes::incrementAndGet);
        assertThat(pauses.allow("a")).as("before the first heartbeat").isFalse();
        assertThat(pauses.include("b")).isFalse();
        one.beat();
        assertThat(pauses.allow("a")).isTrue();
        assertThat(pauses.allow("b")).isFalse();
        assertThat(pauses.include("b")).isTrue();
        assertThat(changes).hasValue(1);

        directory.resume("b");
        directory.pause("e f%g\n-MESSAGES a");
        directory.pause("e f%g\n-MESSAGES a");
        one.beat();
        one.beat();
        assertThat(pauses.allow("b")).isTrue();
        assertThat(pauses.include("e f%g\n-MESSAGES a")).isTrue();
        assertThat(changes).hasValue(2);
        uninterested.run();
        directory.pause("a");
        one.beat();
        assertThat(pauses.include("a")).isTrue();
        assertThat(changes).hasValue(2);
    }

    @Test
    void whatWasHeardOfPausesHoldsThroughAnOutage() {
        NodeDirectory directory = new NodeDirectory(scripts, new KeySpace("dq"), TIMEOUT);
        directory.pause("b");
        Node one = new Node("one");
        one.beat();
        blackOut = true;
        ahead = TIMEOUT.multipliedBy(3).toNanos();
        assertThatThrownBy(one.membership::step).hasMessage("Redis is away");
        assertThat(one.membership.pauses().include("b")).isTrue();
        assertThat(one.membership.pauses().allow("a")).isTrue();
    }

    @Test
    void nodeThatHearsNothingForTooLongTakesNoTopicForPaused() {
        Node one = new Node("one");
        blackOut = true;
        assertThatThrownBy(one.membership::step).hasMessage("Redis is away");
        ahead = TIMEOUT.minusSeconds(1).toNanos();
        assertThatThrownBy(one.membership::step).hasMessage("Redis is away");
        assertThat(one.membership.pauses().allow("a")).isFalse();
        ahead = TIMEOUT.plusSeconds(1).toNanos();
        assertThatThrownBy(one.membership::step).hasMessage("Redis is away");
        assertThat(one.membership.pauses().allow("a")).isTrue();

        blackOut = false;
        new NodeDirectory(scripts, new KeySpace("dq"), TIMEOUT).pause("a");
        one.beat();
        assertThat(one.membership.pauses().allow("a")).isFalse();
    }

    @Test
    void heartbeatAndLeaveWorkWhenMemoryIsFull() {
        Node one = new Node("one");
        one.beat();
        redis.command("CONFIG", "SET", "maxmemory", "1");
        try {
            one.beat();
            new Node("two").beat();
            await().until(one::isListed);
            one.membership.leave(Duration.ofSeconds(5));
            assertThat(one.isListed()).isFalse();
        } finally {
            redis.command("CONFIG", "SET", "maxmemory", "0");
        }
    }
}
