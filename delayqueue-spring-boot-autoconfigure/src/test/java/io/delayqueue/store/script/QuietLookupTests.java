package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Due;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.store.LetterQuery;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.Purge;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What only looks, or changes what is there, never makes a topic or a shard that isn't. */
class QuietLookupTests {

    private static final Shard SHARD = Shard.single("orders");
    private static final long AHEAD = 4_000_000_000_000L;

    @RegisterExtension
    static final StoreBench bench = StoreBench.withServerClock(UnaryOperator.identity());

    /** A call with its answers: of a shard that isn't there, and of {@link #one()}. */
    record Lookup(String name, Function<MessageStore, Object> call, Object none, Object some) {

        Object answer(MessageStore store) {
            return call.apply(store);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Lookup> lookups() {
        return Stream.of(
                new Lookup("find", store -> ids(store, "a"), List.of(), List.of("a")),
                new Lookup(
                        "cancel", store -> store.cancel(SHARD, "a"), CancelOutcome.NOT_FOUND, CancelOutcome.CANCELLED),
                new Lookup(
                        "reschedule",
                        store -> store.reschedule(SHARD, "a", Due.NOW),
                        RescheduleOutcome.NOT_FOUND,
                        RescheduleOutcome.RESCHEDULED),
                new Lookup("count", store -> store.count(SHARD), ShardCounts.ZERO, counts(1, 1)),
                new Lookup("count deaths", store -> store.count(SHARD.deaths()), ShardCounts.ZERO, counts(1, 0)),
                new Lookup(
                        "letter", store -> letters(store, new LetterQuery.One("b@w1-1")), List.of(), List.of("b@w1-1")),
                new Lookup(
                        "letters",
                        store -> letters(store, new LetterQuery.Page(null, 0, 9)),
                        List.of(),
                        List.of("b@w1-1")),
                new Lookup(
                        "replay",
                        store -> store.replay(SHARD, "b@w1-1", Due.NOW),
                        ReplayOutcome.NOT_FOUND,
                        ReplayOutcome.REPLAYED),
                new Lookup("purge named", store -> store.purge(SHARD, new Purge.Named(List.of("b@w1-1"))), 0, 1),
                new Lookup("purge", store -> store.purge(SHARD, new Purge.DiedUntil(Instant.MAX)), 0, 1));
    }

    private static List<String> ids(MessageStore store, String id) {
        return store.find(SHARD, id).map(MessageSnapshot::id).stream().toList();
    }

    private static List<String> letters(MessageStore store, LetterQuery query) {
        return store.letters(SHARD, query).stream().map(DeadLetter::letterId).toList();
    }

    private static ShardCounts counts(long scheduled, long dead) {
        return new ShardCounts(scheduled, 0, 0, dead, ShardCounts.ZERO.lag());
    }

    private static ShardState one() {
        return new ShardState()
                .scheduled("a", AHEAD)
                .letter("b", "w1-1", T0, "BURIED", 1, T0, "")
                .notice("b@w1-1", AHEAD);
    }

    private static void flush() {
        bench.redis().call("FLUSHALL");
    }

    private static List<String> keys() {
        return ((List<?>) requireNonNull(bench.redis().call("KEYS", "*")))
                .stream()
                        .map(key -> new String((byte[]) requireNonNull(key), UTF_8))
                        .toList();
    }

    private static void assertNothingIsThere() {
        assertThat(bench.redis().call("DBSIZE")).isEqualTo(0L);
    }

    @ParameterizedTest
    @MethodSource("lookups")
    void aTopicThatIsNotRegisteredIsEmptyAndStaysSo(Lookup lookup) {
        flush();
        bench.restartProcess();
        assertThat(lookup.answer(bench.store())).isEqualTo(lookup.none);
        assertThat(lookup.answer(bench.store())).isEqualTo(lookup.none);
        assertNothingIsThere();
    }

    @ParameterizedTest
    @MethodSource("lookups")
    void aTopicThatWasFlushedIsEmptyToWhoKnewIt(Lookup lookup) {
        bench.given(one());
        flush();
        assertThat(lookup.answer(bench.store())).isEqualTo(lookup.none);
        assertNothingIsThere();
    }

    @ParameterizedTest
    @MethodSource("lookups")
    void aShardWhoseKeysAreGoneIsEmptyAndStaysSo(Lookup lookup) {
        bench.given(one());
        String topics = new String(bench.keySpace().topics(), UTF_8);
        String registered = bench.redis().text("HGET", topics, "orders");
        keys().stream()
                .filter(key -> !key.equals(topics))
                .forEach(key -> bench.redis().call("DEL", key));
        assertThat(lookup.answer(bench.store())).isEqualTo(lookup.none);
        bench.restartProcess();
        assertThat(lookup.answer(bench.store())).isEqualTo(lookup.none);
        assertThat(keys()).containsExactly(topics);
        assertThat(bench.redis().text("HGET", topics, "orders")).isEqualTo(registered);
    }

    @ParameterizedTest
    @MethodSource("lookups")
    void aFlushAndWhatAnotherProcessRegisteredSinceAreFollowed(Lookup lookup) {
        MessageStore before = bench.store();
        String identity = bench.meta("meta").get("identity");
        flush();
        bench.restartProcess();
        bench.store().attendDeaths(SHARD);
        bench.given(one());
        assertThat(bench.meta("meta").get("identity")).isNotEqualTo(identity);
        assertThat(lookup.answer(before)).isEqualTo(lookup.some);
    }

    @ParameterizedTest
    @MethodSource("lookups")
    void whoLookedInVainSeesWhatIsSentLater(Lookup lookup) {
        flush();
        bench.restartProcess();
        MessageStore store = bench.store();
        lookup.answer(store);
        bench.restartProcess();
        bench.store().send(SHARD, List.of(Sends.at("a", AHEAD)));
        bench.given(one());
        assertThat(lookup.answer(store)).isEqualTo(lookup.some);
    }

    @Test
    void whoLookedInVainCanSend() {
        flush();
        bench.restartProcess();
        bench.store().find(SHARD, "a");
        bench.store().send(SHARD, List.of(Sends.at("a", AHEAD)));
        assertThat(bench.store().find(SHARD, "a")).isPresent();
    }

    @ParameterizedTest
    @MethodSource("lookups")
    void aLookupIsOneRoundTrip(Lookup lookup) {
        bench.given(one());
        lookup.answer(bench.store());
        assertThat(bench.commands(() -> lookup.answer(bench.store()))).containsEntry("evalsha", 1L);
        flush();
        bench.restartProcess();
        lookup.answer(bench.store());
        assertThat(bench.commands(() -> lookup.answer(bench.store()))).isEqualTo(Map.of("evalsha", 1L, "hget", 1L));
    }
}
