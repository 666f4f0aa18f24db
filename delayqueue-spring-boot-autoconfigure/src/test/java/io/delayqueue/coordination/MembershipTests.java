package io.delayqueue.coordination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MembershipTests extends NodesTest {

    private static final List<Shard> SHARDS =
            List.of(Shard.single("a"), Shard.single("b"), Shard.single("c"), Shard.single("d"), Shard.single("e f%g"));

    MembershipTests(RedisServerProcess redis) {
        super(redis);
    }

    private Node node(String name) {
        return new Node(name, SHARDS);
    }

    @Test
    void nodeThatKnowsNobodyWatchesEverything() {
        Node one = node("one");
        assertThat(one.watched()).isEqualTo(SHARDS.size());
        assertThat(one.seats.get(0).hasPeers()).isFalse();
        one.beat();
        assertThat(one.watched()).isEqualTo(SHARDS.size());
        assertThat(one.told).hasValue(SHARDS.size());
    }

    @Test
    void joinsAndLeavesDealAnew() {
        Node one = node("one");
        Node two = node("two");
        Node three = node("three");
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
        Node one = node("one");
        Node dead = node("dead");
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
        Node one = node("one");
        Node two = node("two");
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
        Node one = node("one");
        Node two = node("two");
        List.of(one, two, one).forEach(Node::beat);
        redis.command("FLUSHALL");
        Node three = node("three");
        // as many changes as before, but another list: two is gone
        three.beat();
        one.beat();
        three.beat();
        one.beat();
        assertEachIsWatchedOnce(one, three);
    }

    @Test
    void secondListenerOfANodeWatchesWhenTheFirstLeaves() {
        Node one = node("one");
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
        Node one = node("one");
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
        Node one = node("one");
        one.beat();
        blackOut = true;
        ahead = TIMEOUT.multipliedBy(3).toNanos();
        assertThatThrownBy(one.membership::step).hasMessage("Redis is away");
        assertThat(one.membership.pauses().include("b")).isTrue();
        assertThat(one.membership.pauses().allow("a")).isTrue();
    }

    @Test
    void nodeThatHearsNothingForTooLongTakesNoTopicForPaused() {
        Node one = node("one");
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
        Node one = node("one");
        one.beat();
        redis.command("CONFIG", "SET", "maxmemory", "1");
        try {
            one.beat();
            node("two").beat();
            await().until(one::isListed);
            one.membership.leave(Duration.ofSeconds(5));
            assertThat(one.isListed()).isFalse();
        } finally {
            redis.command("CONFIG", "SET", "maxmemory", "0");
        }
    }
}
