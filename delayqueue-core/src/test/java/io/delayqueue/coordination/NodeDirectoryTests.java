package io.delayqueue.coordination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.delayqueue.coordination.KnownNodes.Former;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatus.RunningHandler;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.listener.ListenerStatus.Unavailable;
import io.delayqueue.listener.ListenerStatusBuilder;
import io.delayqueue.listener.Pause;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.bench.RawScripts;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reading live nodes and pausing listeners. */
class NodeDirectoryTests extends NodesTest {

    private NodeDirectory directory;

    NodeDirectoryTests(RedisServerProcess redis) {
        super(redis);
    }

    @BeforeEach
    void open() {
        directory = new NodeDirectory(realTimeScripts, keySpace, TIMEOUT);
    }

    private Membership node(String name) {
        return node(name, NodeReport.UNKNOWN);
    }

    private Membership node(String name, NodeReport report) {
        return new Membership(realTimeScripts, keySpace, name, INTERVAL, TIMEOUT, () -> nanos, () -> report, () -> {});
    }

    @Test
    void emptyNamespaceHasNoNodesAndReadingWritesNothing() {
        KnownNodes knownNodes = directory.read();
        assertThat(knownNodes.nodes()).isEmpty();
        assertThat(knownNodes.pauses()).isEmpty();
        assertThat(knownNodes.now()).isAfter("2020-01-01T00:00:00Z");
        assertThat(redis.command("DBSIZE")).isEqualTo(0L);
    }

    @Test
    void nodesAreListedByNameWithTheTopicsThatTheyConsume() {
        Membership two = node("two");
        two.join(Shard.single("b %\n-x"), () -> {});
        two.join(Shard.single("a"), () -> {});
        two.addConsumer(Shard.single("c").notifications());
        Runnable gone = two.addConsumer(Shard.single("d"));
        two.addConsumer(Shard.single("e"));
        two.addConsumer(Shard.single("e")).run();
        gone.run();
        two.run();
        node("one").run();
        KnownNodes knownNodes = directory.read();
        assertThat(knownNodes.nodes()).extracting(KnownNodes.Node::name).containsExactly("one", "two");
        assertThat(knownNodes.nodes().get(0).messages()).isEmpty();
        assertThat(knownNodes.nodes().get(0).notifications()).isEmpty();
        assertThat(knownNodes.nodes().get(1).messages()).containsExactly("a", "b %\n-x", "e");
        assertThat(knownNodes.nodes().get(1).notifications()).containsExactly("c");
        assertThat(knownNodes.nodes())
                .allSatisfy(node -> assertThat(node.lastSeen()).isBeforeOrEqualTo(knownNodes.now()));
    }

    @Test
    void failedNodesAreNotListed() {
        node("dead").run();
        node("alive").run();
        silence("dead");
        assertThat(directory.read().nodes()).extracting(KnownNodes.Node::name).containsExactly("alive");
    }

    @Test
    void reportOfANodeIsListed() {
        Attempts attempts = new Attempts(
                1, 2, 3, Duration.ofMillis(4), "Down: a&b=c\n%+é", Duration.ofSeconds(5), Duration.ofMillis(6));
        ListenerStatus busy = ListenerStatusBuilder.listener("l&1", "b %\n-x")
                .state(State.UNAVAILABLE)
                .handlers(7, 8)
                .unavailable(new Unavailable("Down: a&b=c\n%+é", Duration.ofSeconds(11)))
                .oldest(new RunningHandler("id=1", 9, Duration.ofSeconds(10)))
                .attempts(attempts)
                .times(Duration.ofMillis(6), Duration.ofMillis(7))
                .byHeader(Map.of("a=b &=%+é c", Attempts.counted(1, 2, 3), "a=d", Attempts.counted(4, 5, 6)))
                .build();
        ListenerStatus idle = ListenerStatusBuilder.listener("l2", "t")
                .kind(QueueKind.NOTIFICATIONS)
                .build();
        NodeReport report = new NodeReport("shop-7f9c", 42, Instant.ofEpochMilli(43), List.of(busy, idle), null);
        node("one", report).run();
        assertThat(directory.read().nodes()).extracting(KnownNodes.Node::report).containsExactly(report);
    }

    @Test
    void listenersWithFailedAttemptsAreReportedFirst() {
        Attempts failed = new Attempts(0, 1, 0, Duration.ZERO, "Down", Duration.ZERO, null);
        List<ListenerStatus> listeners = IntStream.rangeClosed(0, NodeReport.MAX_LISTENERS)
                .mapToObj(i -> ListenerStatusBuilder.listener("l" + i, "t")
                        .attempts(i == NodeReport.MAX_LISTENERS ? failed : Attempts.NONE)
                        .build())
                .toList();
        node("one", new NodeReport("", 0, Instant.EPOCH, listeners, null)).run();
        assertThat(directory.read().nodes().get(0).report().listeners())
                .hasSize(NodeReport.MAX_LISTENERS)
                .startsWith(listeners.get(NodeReport.MAX_LISTENERS));
    }

    @Test
    void unreadableReportIsUnknown() {
        node("one").run();
        for (String text : List.of("", "pid=x", "host=%zz", "host=h\nkind=ELSE", "host=h\n")) {
            redis.command("HSET", "dq:{nodes}:reports", "one", text);
            assertThat(directory.read().nodes())
                    .extracting(KnownNodes.Node::report)
                    .containsExactly(NodeReport.UNKNOWN);
        }
        redis.command("HDEL", "dq:{nodes}:reports", "one");
        assertThat(directory.read().nodes()).extracting(KnownNodes.Node::report).containsExactly(NodeReport.UNKNOWN);
    }

    @Test
    void failedNodeIsRememberedBeforeAndAfterItsRemoval() {
        NodeReport report = new NodeReport("shop", 42, Instant.ofEpochMilli(43), List.of(), null);
        node("dead", report).run();
        silence("dead");
        assertThat(directory.read().former()).singleElement().satisfies(former -> {
            assertThat(former.name()).isEqualTo("dead");
            assertThat(former.failed()).isTrue();
            assertThat(former.report()).isEqualTo(report);
        });
        List<Former> before = directory.read().former();
        node("alive").run();
        assertThat(directory.read().former()).isEqualTo(before);
        assertThat(redis.command("HKEYS", "dq:{nodes}:reports")).isEqualTo(List.of("alive"));
    }

    @Test
    void aNodeThatRecoversIsNoFormerNode() {
        Membership slow = node("slow");
        slow.run();
        silence("slow");
        node("other").run();
        assertThat(directory.read().former()).extracting(Former::name).containsExactly("slow");

        slow.run();
        assertThat(directory.read().nodes()).extracting(KnownNodes.Node::name).containsExactly("other", "slow");
        assertThat(directory.read().former()).isEmpty();

        slow.leave(REPLY_TIMEOUT);
        assertThat(directory.read().former())
                .extracting(Former::name, Former::failed)
                .containsExactly(tuple("slow", false));
    }

    @Test
    void stoppedNodeIsRemembered() {
        Membership node = node("one");
        node.run();
        node.leave(REPLY_TIMEOUT);
        assertThat(directory.read().former())
                .extracting(Former::name, Former::failed)
                .containsExactly(tuple("one", false));
        assertThat((Long) redis.command("PTTL", "dq:{nodes}:former")).isPositive();
    }

    @Test
    void formerNodesAreForgottenAfterAnHour() {
        long hourAgo = directory.read().now().minus(Duration.ofMinutes(61)).toEpochMilli();
        redis.command("HSET", "dq:{nodes}:former", "old", hourAgo + " left\nhost=h", "odd", "text");
        assertThat(directory.read().former()).isEmpty();
        Membership node = node("one");
        node.run();
        node.leave(REPLY_TIMEOUT);
        assertThat(redis.command("HKEYS", "dq:{nodes}:former")).isEqualTo(List.of("one"));
    }

    @Test
    void theLatestHundredFormerNodesAreRemembered() {
        for (int i = 0; i < 105; i++) {
            node("n" + i).run();
        }
        for (int i = 0; i < 105; i++) {
            redis.command(
                    "ZINCRBY", "dq:{nodes}:seen", String.valueOf(-TIMEOUT.toMillis() - 200_000 + 1000L * i), "n" + i);
        }
        node("alive").run();
        assertThat(directory.read().former())
                .hasSize(100)
                .first()
                .extracting(Former::name)
                .isEqualTo("n104");
    }

    private void silence(String node) {
        redis.command("ZINCRBY", "dq:{nodes}:seen", "-" + TIMEOUT.plusSeconds(1).toMillis(), node);
    }

    @Test
    void nodeIsListedEvenIfItsHeartbeatIsNotAnInteger() {
        node("one").run();
        redis.command("ZINCRBY", "dq:{nodes}:seen", "0.5", "one");
        redis.command("ZADD", "dq:{nodes}:seen", "+inf", "two");
        assertThat(directory.read().nodes()).extracting(KnownNodes.Node::name).containsExactly("one", "two");
    }

    @Test
    void topicsOfAnyNameCanBePaused() {
        directory.pause("a", null, null, "");
        directory.pause("a", null, null, "");
        directory.pause("b\n%0A", null, null, "");
        assertThat(directory.read().pauses()).containsOnlyKeys("a", "b\n%0A");
        directory.resume("a", null, null);
        directory.resume("a", null, null);
        assertThat(directory.read().pauses()).containsOnlyKeys("b\n%0A");
    }

    @Test
    void pauseNamesTopicListenerNodeAuthorAndTime() {
        node("one").run();
        Instant before = directory.read().now().truncatedTo(ChronoUnit.MILLIS);
        assertThat(directory.pause("a", "l&node=x", "one", "alice & bob=é")).isTrue();
        assertThat(directory.pause("a", "l&node=x", "one", "eve")).isFalse();
        assertThat(directory.pause("a", null, "one", "")).isTrue();
        assertThat(directory.pause("a", "l", null, "x".repeat(Pause.MAX_BY + 1)))
                .isTrue();

        assertThat(directory.read().pauses("a"))
                .allSatisfy(pause -> assertThat(pause.at()).isAfterOrEqualTo(before))
                .extracting(Pause::topic, Pause::listener, Pause::node, Pause::by)
                .containsExactlyInAnyOrder(
                        tuple("a", "l&node=x", "one", "alice & bob=é"),
                        tuple("a", null, "one", ""),
                        tuple("a", "l", null, "x".repeat(Pause.MAX_BY)));
        assertThat(directory.resume("a", null, null)).isFalse();
        assertThat(directory.resume("a", null, "one")).isTrue();
        assertThat(directory.resume("a", null, "one")).isFalse();
        directory.resume(directory.read().pauses("a"));
        assertThat(directory.read().pauses()).isEmpty();
    }

    @Test
    void thereIsAMaximumNumberOfPauses() {
        String[] command = new String[2 + 2 * NodeDirectory.MAX_PAUSES];
        command[0] = "HSET";
        command[1] = "dq:{nodes}:pauses";
        for (int i = 0; i < NodeDirectory.MAX_PAUSES; i++) {
            command[2 + 2 * i] = "topic=t" + i;
            command[3 + 2 * i] = "at=1&by=";
        }
        redis.command(command);
        assertThatThrownBy(() -> directory.pause("t", null, null, ""))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("There are 5000 pauses, which is their maximum."
                        + " Resume topics or listeners before you pause others.");
        assertThat(directory.pause("t7", null, null, "")).isFalse();
        assertThat(directory.resume("t7", null, null)).isTrue();
        assertThat(directory.pause("t", null, null, "")).isTrue();
        directory.resume(directory.read().pauses().values().stream()
                .flatMap(List::stream)
                .toList());
        assertThat(directory.read().pauses()).isEmpty();
    }

    @Test
    void pausesOfForeignClientsAreIgnored() {
        redis.command("HSET", "dq:{nodes}:pauses", "text", "text", "topic=%zz", "at=1", "topic=a", "at=x");
        assertThat(directory.read().pauses()).isEmpty();
        node("one").run();
    }

    @Test
    void pauseOfANodeEndsWithItsRecord() {
        Membership leaving = node("leaving");
        leaving.run();
        directory.pause("a", null, "leaving", "");
        directory.pause("a", "l", "leaving", "");
        directory.pause("a", "l", null, "");
        Membership alive = node("alive");
        alive.run();
        leaving.run();
        leaving.leave(REPLY_TIMEOUT);
        alive.run();
        alive.run();
        assertThat(directory.read().pauses("a")).as("within an hour").hasSize(3);

        leaving.run();
        assertThat(leaving.pauses().of("a", "other")).as("a node that recovers").hasSize(1);
        leaving.leave(REPLY_TIMEOUT);
        alive.run();
        long hourAgo = directory.read().now().minus(Duration.ofMinutes(61)).toEpochMilli();
        redis.command("HSET", "dq:{nodes}:former", "leaving", hourAgo + " left\n");
        assertThat(directory.read().pauses("a")).extracting(Pause::node).containsOnlyNulls();
        alive.run();
        assertThat(redis.command("HKEYS", "dq:{nodes}:pauses")).isEqualTo(List.of("topic=a&listener=l"));
        alive.run();
        assertThat(alive.pauses().departed()).isEmpty();
    }

    /** No node was live when the record ended. */
    @Test
    void firstNodeEndsThePausesOfNodesWithoutRecord() {
        node("gone").run();
        directory.pause("a", null, "gone", "");
        redis.command("DEL", "dq:{nodes}:seen", "dq:{nodes}:topics", "dq:{nodes}:reports");
        Membership first = node("first");
        first.run();
        first.run();
        assertThat(redis.command("EXISTS", "dq:{nodes}:pauses")).isEqualTo(0L);
    }

    @Test
    void pausingWorksWhenMemoryIsFull() {
        redis.command("CONFIG", "SET", "maxmemory", "1");
        try {
            directory.pause("a", null, null, "");
            assertThat(directory.read().pauses()).containsOnlyKeys("a");
            directory.resume("a", null, null);
            assertThat(directory.read().pauses()).isEmpty();
        } finally {
            redis.command("CONFIG", "SET", "maxmemory", "0");
        }
    }

    /** The script is stopped before each of its writes. Nodes read what is stored, with or without the repeat. */
    @Test
    void nodesReadTheStoredPausesAfterAnInterruptedScript() {
        Membership node = node("one");
        node.run();
        for (int write = 0; write < 3; write++) {
            boolean pause = write % 2 == 0;
            NodeDirectory stopping = new NodeDirectory(stoppedBefore(write), keySpace, TIMEOUT);
            assertThatThrownBy(() -> change(stopping, pause)).isInstanceOf(RedisCallException.class);
            node.run();
            assertThat(isPaused(node)).isEqualTo(directory.read().pauses().containsKey("a"));
            change(directory, pause);
            node.run();
            assertThat(isPaused(node)).isEqualTo(pause);
        }
    }

    private static boolean isPaused(Membership node) {
        return !node.pauses().of("a", "l").isEmpty();
    }

    private static void change(NodeDirectory directory, boolean pause) {
        if (pause) {
            directory.pause("a", null, null, "");
        } else {
            directory.resume("a", null, null);
        }
    }

    private ScriptRunner stoppedBefore(int write) {
        return call -> realTimeScripts.run(RawScripts.with(RawScripts.stoppedBefore(write, call.script()), call));
    }
}
