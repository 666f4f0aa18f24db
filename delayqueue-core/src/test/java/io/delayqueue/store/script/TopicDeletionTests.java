package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.SendReply.Outcome;
import io.delayqueue.store.TopicNotEmptyException;
import io.delayqueue.store.bench.Calls;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.store.bench.StoreBench.QueueProcess;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Deleting a topic, where it stops, and what others do meanwhile. */
class TopicDeletionTests {

    private static final String TOPIC = "orders";

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private static QueueProcess another() {
        return bench.another(UnaryOperator.identity());
    }

    private static boolean exists(byte[] key) {
        return Long.valueOf(1).equals(bench.redis().call("EXISTS", key));
    }

    private static void assertNothingIsLeft() {
        assertThat(another().registry().topics().join()).isEmpty();
        for (String key : List.of("schedule", "leases", "messages", "deliveries", "meta", "dead", "deadLetters")) {
            assertThat(exists(bench.key(key))).as(key).isFalse();
        }
        for (String key : List.of("schedule", "leases", "messages", "deliveries", "meta")) {
            assertThat(exists(bench.key("notifications." + key))).as(key).isFalse();
        }
    }

    private static Outcome send(MessageStore store, String id) {
        return Calls.send(store, bench.shard(), List.of(Sends.at(id, T0 + 5)))
                .get(0)
                .outcome();
    }

    /** It is there for whoever knows nothing yet, and in a shard that is the registry's. */
    private static void assertKept(String id) {
        assertThat(Await.result(another().store().find(bench.shard(), id)))
                .as(id)
                .isPresent();
        assertThat(another().registry().topics().join()).containsExactly(TOPIC);
        assertThat(bench.meta("meta"))
                .containsEntry(
                        "identity",
                        "1:" + bench.redis().text("HGET", bench.keySpace().topics(), TOPIC));
    }

    @Test
    void anEmptyTopicIsDeletedWithAllRemainsOfScripts() {
        bench.given(state("schedule orphan 0, leases orphan 0")
                .put("deliveries", "orphan", "w1-1 1 5 ")
                .and("dead gone@w1-1 0, notification gone@w1-1 0"));
        assertThat(bench.process().deletion().delete(TOPIC)).isTrue();
        assertNothingIsLeft();
        assertThat(bench.process().deletion().delete(TOPIC)).isFalse();
        // but for what remembers it, and the test's clock
        assertThat(bench.redis().call("DBSIZE")).isEqualTo(2L);
        Object rest =
                bench.redis().call("PTTL", bench.keySpace().of(bench.shard()).ended());
        assertThat((Long) rest).isBetween(1L, 86_400_000L);
    }

    static Stream<ShardState> held() {
        return Stream.of(
                state("scheduled a 5"),
                state("scheduled a 0"),
                state("leased a 0 w1-1 9"),
                state("deadLetter a w1-1 0 REQUESTED 1 0"));
    }

    @ParameterizedTest
    @MethodSource("held")
    void aTopicThatHoldsSomethingStaysAsItIs(ShardState held) {
        bench.given(held);
        assertThatThrownBy(() -> another().deletion().delete(TOPIC))
                .isInstanceOf(TopicNotEmptyException.class)
                .hasMessageContaining("orders")
                .hasMessageContaining(
                        held.get("deadLetters").isEmpty() ? "1 message and 0 dead letters" : "1 dead letter.");
        assertThat(bench.state()).hasToString(held.toString());
        assertThat(another().registry().topics().join()).containsExactly(TOPIC);
        assertThat(exists(bench.keySpace().of(bench.shard()).ended())).isFalse();
    }

    @Test
    void aTopicWithoutShardsIsDeleted() {
        bench.redis().call("FLUSHALL");
        bench.clock(T0);
        another().registry().shardOf(TOPIC, "a").join();
        assertThat(another().deletion().delete(TOPIC)).isTrue();
        assertNothingIsLeft();
    }

    @Test
    void aShardThatAnotherRegistryOpenedIsDeletedToo() {
        bench.redis().call("HSET", bench.key("meta"), "identity", "1:1:17");
        bench.redis().call("HSET", bench.key("notifications.meta"), "identity", "1:1:17");
        assertThat(another().deletion().delete(TOPIC)).isTrue();
        assertNothingIsLeft();
    }

    @Test
    void deletionWorksWhenMemoryIsFull() {
        bench.redis().call("CONFIG", "SET", "maxmemory", "1");
        try {
            assertThat(bench.process().deletion().delete(TOPIC)).isTrue();
        } finally {
            bench.redis().call("CONFIG", "SET", "maxmemory", "0");
        }
        assertNothingIsLeft();
    }

    @Test
    void executedTwiceItDoesTheSame() {
        bench.twice();
        assertThat(bench.process().deletion().delete(TOPIC)).isTrue();
        assertNothingIsLeft();
    }

    @Test
    void theNextUseRegistersADeletedTopicAgain() {
        MessageStore knew = bench.store();
        another().deletion().delete(TOPIC);
        assertThat(send(knew, "a")).isEqualTo(Outcome.ACCEPTED);
        assertKept("a");
        assertThat(Calls.cancel(another().store(), bench.shard(), "a")).isEqualTo(CancelOutcome.CANCELLED);
        another().deletion().delete(TOPIC);
        Polls.poll(knew, bench.shard(), Polls.by("w1", 2).claim(1).build());
        assertThat(another().registry().topics().join()).containsExactly(TOPIC);
    }

    @Test
    void aDeletedTopicIsRegisteredWithItsShardsAgain() {
        List<Shard> shards = Shard.all("wide", 3);
        MessageStore knew = bench.store();
        for (String id : List.of("a", "b")) {
            Shard shard = Shard.of("wide", id, 3);
            assertThat(Calls.send(knew, shard, List.of(Sends.at(id, T0))))
                    .extracting(SendReply::outcome)
                    .containsExactly(Outcome.ACCEPTED);
            assertThat(another().registry().freshShards("wide").join()).contains(shards);
            assertThat(Calls.cancel(knew, shard, id)).isEqualTo(CancelOutcome.CANCELLED);
            another().deletion().delete("wide");
        }
    }

    @Test
    void deadLetterListenersGetNotificationsAfterADeletion() {
        bench.store().enableNotifications(bench.shard()).join();
        another().deletion().delete(TOPIC);
        another().deletion().delete(TOPIC);
        bench.send(Sends.at("a", T0));
        bench.poll(Polls.by("w1", 1).claim(1));
        bench.poll(Polls.by("w1", 2).deadLetter("a", "w1-1", DeadLetterCause.REQUESTED));
        assertThat(bench.state().get("notifications.schedule")).containsOnlyKeys("a@w1-1");
    }

    @Test
    void whereItStoppedItIsFinishedByTheRepeat() {
        for (String script : List.of("delete", "unregister")) {
            for (int write = 0; ; write++) {
                bench.reset();
                bench.stoppedBefore(script, write);
                if (!bench.stops(() -> bench.process().deletion().delete(TOPIC))) {
                    assertThat(write).isEqualTo(script.equals("delete") ? 3 : 1);
                    break;
                }
                bench.undisturbed();
                assertThat(bench.process().deletion().delete(TOPIC)).isTrue();
                assertNothingIsLeft();
            }
        }
    }

    @Test
    void aMessageSentAfterADeletionStoppedIsKept() {
        for (String script : List.of("delete", "unregister")) {
            for (int write = 0; write < 3; write++) {
                for (boolean knows : new boolean[] {true, false}) {
                    bench.reset();
                    MessageStore sender = knows ? bench.store() : another().store();
                    bench.stoppedBefore(script, write);
                    bench.stops(() -> another().deletion().delete(TOPIC));
                    bench.undisturbed();
                    assertThat(send(sender, "a")).isEqualTo(Outcome.ACCEPTED);
                    assertKept("a");
                    assertThatThrownBy(() -> another().deletion().delete(TOPIC))
                            .isInstanceOf(TopicNotEmptyException.class);
                    assertKept("a");
                }
            }
        }
    }

    /** Another process that does something before each of its calls, which are counted from 0. */
    private static QueueProcess interposed(IntConsumer action) {
        AtomicInteger calls = new AtomicInteger();
        return bench.another(real -> call -> {
            action.accept(calls.getAndIncrement());
            return real.run(call);
        });
    }

    /** The first calls of a deletion; then its process ends. */
    private static void deleteUpTo(int calls) {
        QueueProcess mortal = interposed(call -> {
            if (call == calls) {
                throw new IllegalStateException("the process ends");
            }
        });
        try {
            mortal.deletion().delete(TOPIC);
        } catch (IllegalStateException expected) {
            // it is not empty, or the process ended
            assertThat(expected).isNotNull();
        }
    }

    @Test
    void aMessageIsKeptIfDeletionsRunBetweenTheCallsOfItsSend() {
        for (boolean knows : new boolean[] {true, false}) {
            for (int deletionCalls : new int[] {1, 2, 3}) {
                for (int first = 0; first < 6; first++) {
                    for (int length = 1; length < 6; length++) {
                        sendAmongDeletions(knows, deletionCalls, first, length);
                    }
                }
            }
        }
    }

    private static void sendAmongDeletions(boolean knows, int deletionCalls, int first, int length) {
        bench.reset();
        AtomicInteger calls = new AtomicInteger(Integer.MIN_VALUE);
        QueueProcess sender = interposed(any -> {
            int call = calls.getAndIncrement();
            if (call >= first && call < first + length) {
                deleteUpTo(deletionCalls);
            }
        });
        if (knows) {
            sender.store().enableNotifications(bench.shard()).join();
        }
        calls.set(0);
        assertThat(send(sender.store(), "a")).isEqualTo(Outcome.ACCEPTED);
        assertKept("a");
    }

    @Test
    void aMessageIsKeptIfItIsSentBetweenTheCallsOfADeletion() {
        for (boolean knows : new boolean[] {true, false}) {
            for (int call = 0; call < 4; call++) {
                bench.reset();
                MessageStore sender = knows ? bench.store() : another().store();
                int at = call;
                QueueProcess deleter = interposed(each -> {
                    if (each == at) {
                        send(sender, "a");
                    }
                });
                try {
                    deleter.deletion().delete(TOPIC);
                } catch (TopicNotEmptyException expected) {
                    assertThat(expected).hasMessageContaining("1 message");
                }
                send(sender, "a");
                assertKept("a");
            }
        }
    }

    @Test
    void repeatedDeletionsDoNotBlockASend() {
        QueueProcess sender = interposed(each -> deleteUpTo(3));
        assertThatThrownBy(() -> send(sender.store(), "a")).hasMessageContaining("orders");
        bench.restartProcess();
        assertThat(send(bench.store(), "a")).isEqualTo(Outcome.ACCEPTED);
        assertKept("a");
    }
}
