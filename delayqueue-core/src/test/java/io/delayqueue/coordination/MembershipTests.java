package io.delayqueue.coordination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.coordination.Membership.ShardAssignment;
import io.delayqueue.coordination.PeerReports.Peer;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.listener.ListenerStatusBuilder;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    void nodeThatKnowsNoOtherIsAssignedEverything() {
        Node one = node("one");
        assertThat(one.assigned()).isEqualTo(SHARDS.size());
        assertThat(one.assignments.get(0).hasPeers()).isFalse();
        one.beat();
        assertThat(one.assigned()).isEqualTo(SHARDS.size());
        assertThat(one.told).hasValue(SHARDS.size());
    }

    @Test
    void nodeWithoutHeartbeatsIsRemovedAfterTheTimeout() {
        Node one = node("one");
        Node dead = node("dead");
        one.beat();
        dead.beat();
        one.beat();
        assertEachIsAssignedOnce(one, dead);
        assertThat(dead.assigned()).isPositive();

        redis.command("ZINCRBY", "dq:{nodes}:seen", "-" + TIMEOUT.dividedBy(2).toMillis(), "dead");
        one.beat();
        assertThat(dead.isListed()).isTrue();
        redis.command("ZINCRBY", "dq:{nodes}:seen", "-" + TIMEOUT.dividedBy(2).toMillis(), "dead");
        one.beat();
        assertThat(dead.isListed()).isFalse();
        assertThat(one.assigned()).isEqualTo(SHARDS.size());
        dead.beat();
        one.beat();
        assertEachIsAssignedOnce(one, dead);
    }

    @Test
    void nodeWithoutHeartbeatsIsRemovedEvenIfRedisClockWentBack() {
        Node one = node("one");
        Node dead = node("dead");
        List.of(one, dead, one).forEach(Node::beat);
        assertEachIsAssignedOnce(one, dead);

        Duration back = Duration.ofHours(-1);
        clock.setAhead(back);
        one.beat();
        assertThat(dead.isListed()).isTrue();
        clock.setAhead(back.plus(TIMEOUT).plusMillis(1));
        one.beat();
        assertThat(dead.isListed()).isFalse();
        assertThat(one.assigned()).isEqualTo(SHARDS.size());
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1})
    void liveNodesShareTheShardsAfterTheNextHeartbeatsIfRedisClockWasSet(long hours) {
        Node one = node("one");
        Node two = node("two");
        List.of(one, two, one).forEach(Node::beat);

        clock.setAhead(Duration.ofHours(hours));
        List.of(one, two, one).forEach(Node::beat);
        assertEachIsAssignedOnce(one, two);
        assertThat(one.assignments).allMatch(ShardAssignment::hasPeers);
    }

    @Test
    void isolatedNodeIsAssignedEverythingAndWakesItsPollers() {
        Node one = node("one");
        Node two = node("two");
        List.of(one, two, one).forEach(Node::beat);
        long mine = one.assigned();
        assertThat(mine).isLessThan(SHARDS.size());
        one.told.set(0);

        blackOut = true;
        assertThatThrownBy(one.membership::run).hasMessage("Redis is unavailable");
        assertThat(one.assigned()).isEqualTo(mine);
        nanos = TIMEOUT.plusSeconds(1).toNanos();
        assertThatThrownBy(one.membership::run).hasMessage("Redis is unavailable");
        assertThat(one.assigned()).isEqualTo(SHARDS.size());
        assertThat(one.told).hasValue((int) (SHARDS.size() - mine));

        blackOut = false;
        one.beat();
        two.beat();
        assertEachIsAssignedOnce(one, two);
    }

    @Test
    void listOfNodesIsReadAgainAfterAFlush() {
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
        assertEachIsAssignedOnce(one, three);
    }

    @Test
    void secondListenerOfANodeIsAssignedWhenTheFirstLeaves() {
        Node one = node("one");
        AtomicInteger told = new AtomicInteger();
        ShardAssignment second = one.membership.join(SHARDS.get(0), told::incrementAndGet);
        one.beat();
        assertThat(one.assignments.get(0).isAssigned()).isTrue();
        assertThat(second.isAssigned()).isFalse();
        assertThat(second.hasPeers()).isTrue();
        one.assignments.get(0).leave();
        assertThat(second.isAssigned()).isTrue();
        assertThat(told).hasValue(1);
    }

    @Test
    void pausesAreReadByTheNextHeartbeat() {
        NodeDirectory directory = new NodeDirectory(scripts, keySpace, TIMEOUT);
        directory.pause("b", null, null, "");
        Node one = node("one");
        AtomicInteger changes = new AtomicInteger();
        Pauses pauses = one.membership.pauses();
        Runnable uninterested = pauses.onChange(changes::incrementAndGet);
        assertThat(pauses.allow("a", "l")).as("before the first heartbeat").isFalse();
        assertThat(pauses.of("b", "l")).isEmpty();
        one.beat();
        assertThat(pauses.allow("a", "l")).isTrue();
        assertThat(pauses.allow("b", "l")).isFalse();
        assertThat(pauses.of("b", "l")).isNotEmpty();
        assertThat(changes).hasValue(1);

        directory.resume("b", null, null);
        directory.pause("e f%g\n-MESSAGES a", null, null, "");
        directory.pause("e f%g\n-MESSAGES a", null, null, "");
        one.beat();
        one.beat();
        assertThat(pauses.allow("b", "l")).isTrue();
        assertThat(pauses.of("e f%g\n-MESSAGES a", "l")).isNotEmpty();
        assertThat(changes).hasValue(2);
        uninterested.run();
        directory.pause("a", null, null, "");
        one.beat();
        assertThat(pauses.of("a", "l")).isNotEmpty();
        assertThat(changes).hasValue(2);
    }

    @Test
    void knownPausesRemainDuringAnOutage() {
        NodeDirectory directory = new NodeDirectory(scripts, keySpace, TIMEOUT);
        directory.pause("b", null, null, "");
        Node one = node("one");
        one.beat();
        blackOut = true;
        nanos = TIMEOUT.multipliedBy(3).toNanos();
        assertThatThrownBy(one.membership::run).hasMessage("Redis is unavailable");
        assertThat(one.membership.pauses().of("b", "l")).isNotEmpty();
        assertThat(one.membership.pauses().allow("a", "l")).isTrue();
    }

    @Test
    void nodeWithoutAHeartbeatForTooLongTreatsNoTopicAsPaused() {
        Node one = node("one");
        blackOut = true;
        assertThatThrownBy(one.membership::run).hasMessage("Redis is unavailable");
        nanos = TIMEOUT.minusSeconds(1).toNanos();
        assertThatThrownBy(one.membership::run).hasMessage("Redis is unavailable");
        assertThat(one.membership.pauses().allow("a", "l")).isFalse();
        nanos = TIMEOUT.plusSeconds(1).toNanos();
        assertThatThrownBy(one.membership::run).hasMessage("Redis is unavailable");
        assertThat(one.membership.pauses().allow("a", "l")).isTrue();

        blackOut = false;
        new NodeDirectory(scripts, keySpace, TIMEOUT).pause("a", null, null, "");
        one.beat();
        assertThat(one.membership.pauses().allow("a", "l")).isFalse();
    }

    @Test
    void heartbeatReadsTheRunningListenersOfWatchedQueuesOnOtherNodes() {
        Attempts attempts = new Attempts(3, 2, 1, Duration.ofMillis(4), "Down", Duration.ZERO, Duration.ofMillis(5));
        reporting("two", listener("a%&=b c", QueueKind.MESSAGES, State.RUNNING, attempts));
        reporting(
                "three",
                listener("other", QueueKind.MESSAGES, State.RUNNING, attempts),
                listener("a%&=b c", QueueKind.NOTIFICATIONS, State.RUNNING, attempts),
                listener("a%&=b c", QueueKind.MESSAGES, State.FAILS_ALONE, attempts),
                listener("a%&=b c", QueueKind.MESSAGES, State.RUNNING, Attempts.NONE));
        clock.advance(Duration.ofSeconds(7));
        Membership one = reporting("one", listener("a%&=b c", QueueKind.MESSAGES, State.RUNNING, attempts));
        List<List<Peer>> heard = new ArrayList<>();
        Runnable end = one.peers().watch("a%&=b c", QueueKind.MESSAGES, heard::add);
        new NodeDirectory(scripts, keySpace, TIMEOUT).pause("b", null, null, "");
        one.run(); // with the list of nodes, which has another version
        assertThat(one.pauses().of("b", "l")).isNotEmpty();
        one.run(); // without
        assertThat(heard).hasSize(2).allSatisfy(peers -> {
            assertThat(peers)
                    .extracting(peer -> peer.listener().attempts())
                    .containsExactlyInAnyOrder(attempts, Attempts.NONE);
            assertThat(peers).allSatisfy(peer -> assertThat(peer.age()).isGreaterThanOrEqualTo(Duration.ofSeconds(7)));
        });

        redis.command(
                "HSET", "dq:{nodes}:reports", "two", "host=h\n&topic=a%25%26%3Db+c&kind=MESSAGES&state=RUNNING&x=%zz");
        one.run();
        assertThat(heard.get(2))
                .as("without a report that this version cannot read")
                .hasSize(1);
        end.run();
        one.run();
        assertThat(heard).hasSize(3);
    }

    private Membership reporting(String name, ListenerStatus... listeners) {
        NodeReport report = new NodeReport("host", 1, Instant.EPOCH, List.of(listeners), null);
        Membership membership =
                new Membership(scripts, keySpace, name, INTERVAL, TIMEOUT, () -> nanos, () -> report, () -> {});
        membership.run();
        return membership;
    }

    private static ListenerStatus listener(String topic, QueueKind kind, State state, Attempts attempts) {
        return ListenerStatusBuilder.listener("l", topic)
                .kind(kind)
                .state(state)
                .attempts(attempts)
                .build();
    }

    @Test
    void heartbeatAndLeaveWorkWhenMemoryIsFull() {
        Node one = node("one");
        one.beat();
        redis.command("CONFIG", "SET", "maxmemory", "1");
        try {
            one.beat();
            node("two").beat();
            assertThat(one.isListed()).isTrue();
            one.membership.leave(REPLY_TIMEOUT);
            assertThat(one.isListed()).isFalse();
        } finally {
            redis.command("CONFIG", "SET", "maxmemory", "0");
        }
    }

    @Test
    void changeDuringAHeartbeatIsSentByTheNextOneAtOnce() throws Exception {
        CompletableFuture<Void> silence = new CompletableFuture<>();
        ScriptRunner slow = call -> scripts.run(call).thenCombine(silence, (reply, end) -> reply);
        Membership membership = new Membership(
                slow, keySpace, "slow", INTERVAL, TIMEOUT, () -> nanos, () -> NodeReport.UNKNOWN, () -> {});
        Semaphore wakes = new Semaphore(0);
        membership.schedule(new Background(wakes), "heartbeat");

        assertThat(membership.run()).isEqualTo(RedisTask.UNTIL_WOKEN);
        membership.join(Shard.single("t"), () -> {});
        assertThat(membership.run()).isEqualTo(RedisTask.UNTIL_WOKEN);
        wakes.drainPermits(); // of the change; the next one is of the reply
        silence.complete(null);
        assertThat(wakes.tryAcquire(60, TimeUnit.SECONDS)).isTrue();

        assertThat(membership.run()).isZero();
        Duration next = membership.run();
        while (next.equals(RedisTask.UNTIL_WOKEN)) {
            assertThat(wakes.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
            next = membership.run();
        }
        assertThat(next).isEqualTo(INTERVAL);
        assertThat(redis.command("HGET", "dq:{nodes}:topics", "slow")).hasToString("MESSAGES t");
    }
}
