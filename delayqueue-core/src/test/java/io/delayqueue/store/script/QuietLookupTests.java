package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Due;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.redis.Await;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.store.Forecast;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.Purge;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.store.bench.Calls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.store.bench.StoreBench.QueueProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What only looks, or changes what is there, never makes a topic or a shard that isn't. */
class QuietLookupTests {

    private static final Shard SHARD = Shard.single("orders");
    private static final long AHEAD = 4_000_000_000_000L;

    @RegisterExtension
    static final StoreBench bench = StoreBench.withServerClock();

    /** A call with its results: for an absent shard, and for {@link #one()}. */
    record Lookup(String name, Function<QueueProcess, Object> call, Object none, Object some) {

        Object result(QueueProcess process) {
            return call.apply(process);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Lookup> lookups() {
        return Stream.of(
                looking("find", store -> ids(store, "a"), List.of(), List.of("a")),
                looking(
                        "cancel",
                        store -> Calls.cancel(store, SHARD, "a"),
                        CancelOutcome.NOT_FOUND,
                        CancelOutcome.CANCELLED),
                looking(
                        "reschedule",
                        store -> Calls.reschedule(store, SHARD, "a", Due.NOW),
                        RescheduleOutcome.NOT_FOUND,
                        RescheduleOutcome.RESCHEDULED),
                looking("count", store -> Await.result(store.count(SHARD)), ShardCounts.ZERO, counts(1, 1)),
                looking(
                        "count dead letters",
                        store -> Await.result(store.count(SHARD.notifications())),
                        ShardCounts.ZERO,
                        counts(1, 0)),
                looking(
                        "deadLetter",
                        store -> deadLetters(store, new DeadLetterQuery.One("b@w1-1")),
                        List.of(),
                        List.of("b@w1-1")),
                looking(
                        "deadLetters",
                        store -> deadLetters(store, new DeadLetterQuery.Page(null, 0, 9)),
                        List.of(),
                        List.of("b@w1-1")),
                looking(
                        "replay",
                        store -> Await.result(store.replay(SHARD, List.of("b@w1-1"), Due.NOW))
                                .get(0),
                        ReplayOutcome.NOT_FOUND,
                        ReplayOutcome.REPLAYED),
                looking("purge", store -> Await.result(store.purge(SHARD, new Purge.Named(List.of("b@w1-1")))), 0, 1),
                new Lookup("list", process -> listed(process, MessageState.SCHEDULED), List.of(), List.of("a")),
                new Lookup("list ready", process -> listed(process, MessageState.READY), List.of(), List.of()),
                new Lookup("list leased", process -> listed(process, MessageState.LEASED), List.of(), List.of()),
                new Lookup(
                        "slowest keys",
                        process -> process.reader().slowestKeys(SHARD).join(),
                        List.of(),
                        List.of()),
                new Lookup("upcoming", QuietLookupTests::later, 0L, 1L));
    }

    private static Lookup looking(String name, Function<MessageStore, Object> call, Object none, Object some) {
        return new Lookup(name, process -> call.apply(process.store()), none, some);
    }

    private static List<String> listed(QueueProcess process, MessageState state) {
        return process.reader().list(SHARD, state, null, 10).join().messages().stream()
                .map(MessageSnapshot::id)
                .toList();
    }

    private static long later(QueueProcess process) {
        return process.reader()
                .upcoming(SHARD, Duration.ofMillis(1), 2)
                .join()
                .map(Forecast::later)
                .orElse(0L);
    }

    private static List<String> ids(MessageStore store, String id) {
        return Await.result(store.find(SHARD, id)).map(MessageSnapshot::id).stream()
                .toList();
    }

    private static List<String> deadLetters(MessageStore store, DeadLetterQuery query) {
        return Await.result(store.deadLetters(SHARD, query)).stream()
                .map(DeadLetter::deadLetterId)
                .toList();
    }

    private static ShardCounts counts(long scheduled, long dead) {
        Instant ahead = Instant.ofEpochMilli(AHEAD);
        Instant oldest = dead == 0 ? null : Instant.ofEpochMilli(T0);
        return new ShardCounts(
                new TopicCounts(scheduled, 0, 0, 0, 0, dead, dead, 0, Duration.ZERO, ahead, ahead, oldest), null);
    }

    private static ShardState one() {
        return new ShardState()
                .scheduled("a", AHEAD)
                .deadLetter("b", "w1-1", T0, "REQUESTED", 1, T0, "")
                .notification("b@w1-1", AHEAD);
    }

    private static void flush() {
        bench.redis().call("FLUSHALL");
    }

    /** A flushed topic, one that is not registered, and a shard without keys. */
    @ParameterizedTest
    @MethodSource("lookups")
    void whatIsNotThereIsEmptyAndStaysSo(Lookup lookup) {
        bench.given(one());
        flush();
        for (int look = 0; look < 3; look++) {
            assertThat(lookup.result(bench.process())).isEqualTo(lookup.none);
            assertThat(bench.redis().call("DBSIZE")).isEqualTo(0L);
            if (look == 0) {
                bench.restartProcess();
            }
        }
        bench.redis().call("HSET", bench.keySpace().topics(), "orders", "1:17");
        for (int look = 0; look < 2; look++) {
            assertThat(lookup.result(bench.process())).isEqualTo(lookup.none);
            bench.restartProcess();
        }
        assertThat(bench.redis().call("DBSIZE")).isEqualTo(1L);
        assertThat(bench.redis().text("HGET", bench.keySpace().topics(), "orders"))
                .isEqualTo("1:17");
    }

    @ParameterizedTest
    @MethodSource("lookups")
    void aFlushAndWhatAnotherProcessRegisteredSinceAreFollowed(Lookup lookup) {
        QueueProcess before = bench.process();
        String identity = bench.meta("meta").get("identity");
        flush();
        bench.restartProcess();
        bench.store().enableNotifications(SHARD).join();
        bench.given(one());
        assertThat(bench.meta("meta").get("identity")).isNotEqualTo(identity);
        assertThat(lookup.result(before)).isEqualTo(lookup.some);
    }

    @ParameterizedTest
    @MethodSource("lookups")
    void aLookupBeforeTheFirstSendFindsTheMessageLater(Lookup lookup) {
        flush();
        bench.restartProcess();
        QueueProcess process = bench.process();
        lookup.result(process);
        bench.restartProcess();
        Calls.send(bench.store(), SHARD, List.of(Sends.at("a", AHEAD)));
        bench.given(one());
        assertThat(lookup.result(process)).isEqualTo(lookup.some);
    }

    @ParameterizedTest
    @MethodSource("lookups")
    void aLookupIsOneRoundTrip(Lookup lookup) {
        bench.given(one());
        lookup.result(bench.process());
        assertThat(bench.commands(() -> lookup.result(bench.process()))).containsEntry("evalsha", 1L);
        flush();
        bench.restartProcess();
        lookup.result(bench.process());
        assertThat(bench.commands(() -> lookup.result(bench.process()))).isEqualTo(Map.of("evalsha", 1L, "hget", 1L));
    }
}
