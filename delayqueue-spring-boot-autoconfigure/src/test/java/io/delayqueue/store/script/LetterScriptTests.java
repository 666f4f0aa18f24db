package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.message;
import static io.delayqueue.store.bench.ShardState.record;
import static io.delayqueue.store.bench.ShardState.stored;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.Failure;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.store.LetterQuery;
import io.delayqueue.store.Purge;
import io.delayqueue.store.bench.Row;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.Steps;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The state tables of {@code replay.lua}, {@code purge.lua} and {@code letters.lua}. */
class LetterScriptTests {

    private static final String SENTINEL = "~".repeat(257);

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    @ParameterizedTest(name = "{0}")
    @MethodSource({"replays", "strangeReplays", "unreadableReplays", "halfReplays", "purges", "retentions"})
    void table(Row row) {
        row.check(bench);
    }

    static Stream<Row> replays() {
        Function<StoreBench, Object> replay = replay("a@w1-1", new Due(T0 + 70, false));
        return Stream.of(
                Row.unchanged("replay, no such letter", letters(), replay("a@w1-2", Due.NOW), ReplayOutcome.NOT_FOUND),
                Row.unchanged("replay, an id is no letter", letters(), replay("a", Due.NOW), ReplayOutcome.NOT_FOUND),
                Row.unchanged("replay of the sentinel", letters(), replay(SENTINEL, Due.NOW), ReplayOutcome.NOT_FOUND),
                Row.unchanged(
                        "replay, the id is live: the letter stays",
                        letters().retrying("a", T0 + 5, 1, "").put("messages", "a", message("m", 5, 6, "\na")),
                        replay,
                        ReplayOutcome.ID_LIVE),
                new Row(
                        "replay: scheduled, attempts from zero; letter and notice go",
                        letters().notice("a@w1-1", T0 - 3).notice("b@w1-1", T0 - 2),
                        replay,
                        ReplayOutcome.REPLAYED,
                        new ShardState()
                                .scheduled("a", T0 + 70)
                                .letter("b", "w1-1", T0 - 2, "BURIED", 1, T0 - 9, "E: no")
                                .notice("b@w1-1", T0 - 2)),
                new Row(
                        "replay after a delay",
                        letters(),
                        replay("b@w1-1", new Due(30, true)),
                        ReplayOutcome.REPLAYED,
                        new ShardState()
                                .scheduled("b", T0 + 30)
                                .letter("a", "w1-1", T0 - 3, "BURIED", 1, T0 - 9, "E: no")),
                new Row(
                        "replay, the notice is being handled: its token is retired",
                        new ShardState()
                                .letter("a", "w1-1", T0 - 3, "BURIED", 1, T0 - 9, "E: no")
                                .put("deaths.messages", "a@w1-1", message("", 5, 5, "\n"))
                                .put("deaths.leases", "a@w1-1", T0 + 9)
                                .put("deaths.deliveries", "a@w1-1", "w3-1 1 5 "),
                        replay,
                        ReplayOutcome.REPLAYED,
                        new ShardState().scheduled("a", T0 + 70)));
    }

    static Stream<Row> strangeReplays() {
        Function<StoreBench, Object> replay = replay("a@w1-1", new Due(T0 + 70, false));
        String limited = message("+n a=3 l=9000 x=5 e=" + T0, T0 - 9, T0 - 5, "x: 1 e=7\n\n12\n34");
        String again = message("+n a=3 l=9000 x=5", T0 - 9, T0 + 70, "x: 1 e=7\n\n12\n34");
        return Stream.of(
                new Row(
                        "replay: the absolute expiry is stripped, the other limits stay",
                        new ShardState()
                                .put("dead", "a@w1-1", T0)
                                .put("letters", "a@w1-1", record(T0, "EXPIRED", 0, T0, "E: a\nb", limited)),
                        replay,
                        ReplayOutcome.REPLAYED,
                        new ShardState().put("schedule", "a", T0 + 70).put("messages", "a", again)),
                new Row(
                        "replay of an id with an @",
                        new ShardState().letter("a@w1-1", "w2-1", T0, "BURIED", 1, T0, ""),
                        replay("a@w1-1@w2-1", new Due(70, true)),
                        ReplayOutcome.REPLAYED,
                        new ShardState().scheduled("a@w1-1", T0 + 70)),
                new Row(
                        "replay of what somebody else wrote: as it is",
                        new ShardState()
                                .put("dead", "a@w1-1", T0)
                                .put("letters", "a@w1-1", record(T0, "UNREADABLE", 1, T0, "", "{}")),
                        replay,
                        ReplayOutcome.REPLAYED,
                        new ShardState().put("schedule", "a", T0 + 70).put("messages", "a", "{}")));
    }

    static Stream<Row> unreadableReplays() {
        return Stream.of(
                        "",
                        "?",
                        "?\n\n?",
                        "2 1 BURIED 1 2 0\n\n" + message("m", 5, 6, "\na"),
                        "1 1 BURIED 1 2 99\nshort\n",
                        "1 1 BURIED 1 2 -9\nlong enough\n")
                .flatMap(stored -> Stream.of("a@w1-1", "nameless")
                        .map(letter -> Row.unchanged(
                                "replay of " + letter + ", which nobody can read: " + stored,
                                letters().put("dead", letter, T0 - 3).put("letters", letter, stored),
                                replay(letter, Due.NOW),
                                ReplayOutcome.UNREADABLE)));
    }

    static Stream<Row> halfReplays() {
        return Stream.of(
                new Row(
                        "a replay that stopped after the message is finished by its repeat",
                        letters().scheduled("a", T0 + 70),
                        replay("a@w1-1", new Due(90, true)),
                        ReplayOutcome.REPLAYED,
                        new ShardState()
                                .scheduled("a", T0 + 70)
                                .letter("b", "w1-1", T0 - 2, "BURIED", 1, T0 - 9, "E: no")),
                new Row(
                        "also when its message was claimed meanwhile",
                        letters().leased("a", T0 - 1, "w2-1", T0 + 70),
                        replay("a@w1-1", new Due(90, true)),
                        ReplayOutcome.REPLAYED,
                        new ShardState()
                                .leased("a", T0 - 1, "w2-1", T0 + 70)
                                .letter("b", "w1-1", T0 - 2, "BURIED", 1, T0 - 9, "E: no")),
                new Row(
                        "a replay that stopped before the message is done by its repeat",
                        letters().put("schedule", "a", T0 + 70),
                        replay("a@w1-1", new Due(90, true)),
                        ReplayOutcome.REPLAYED,
                        new ShardState()
                                .scheduled("a", T0 + 90)
                                .letter("b", "w1-1", T0 - 2, "BURIED", 1, T0 - 9, "E: no")));
    }

    static Stream<Row> purges() {
        ShardState both =
                letters().notice("a@w1-1", T0 - 3).notice("b@w1-1", T0 - 2).scheduled("a", T0);
        ShardState without = new ShardState()
                .letter("b", "w1-1", T0 - 2, "BURIED", 1, T0 - 9, "E: no")
                .notice("b@w1-1", T0 - 2)
                .scheduled("a", T0);
        return Stream.of(
                new Row("purge the named", both, purge(new Purge.Named(List.of("a@w1-1", "a", "x"))), 1, without),
                Row.unchanged("purge none", both, purge(new Purge.Named(List.of())), 0),
                Row.unchanged("purge of the sentinel", both, purge(new Purge.Named(List.of(SENTINEL))), 0),
                new Row("purge the older", both, purge(new Purge.DiedUntil(Instant.ofEpochMilli(T0 - 3))), 1, without),
                Row.unchanged("purge none older", both, purge(new Purge.DiedUntil(Instant.ofEpochMilli(T0 - 4))), 0),
                new Row(
                        "purge all",
                        both,
                        purge(new Purge.DiedUntil(Instant.MAX)),
                        2,
                        new ShardState().scheduled("a", T0)),
                new Row(
                        "a purge that stopped midway is finished by its repeat",
                        new ShardState().put("dead", "a@w1-1", T0),
                        purge(new Purge.Named(List.of("a@w1-1"))),
                        1,
                        new ShardState()));
    }

    static Stream<Row> retentions() {
        ShardState a = new ShardState().letter("a", "w1-1", T0 - 3, "BURIED", 1, T0 - 9, "E: no");
        ShardState b = new ShardState().letter("b", "w1-1", T0 - 2, "BURIED", 1, T0 - 9, "E: no");
        return Stream.of(
                Row.unchanged("retention keeps the young and few", letters(), retention(4, 2), 0),
                new Row("retention drops the old", letters(), retention(3, 2), 1, b),
                new Row("retention drops the oldest of too many", letters(), retention(4, 1), 1, b),
                new Row("retention of none", letters(), retention(4, 0), 2, new ShardState()),
                new Row("retention of no age", letters(), retention(0, 9), 2, new ShardState()),
                new Row("retention doesn't touch the sentinel", a, retention(9, 0), 1, new ShardState()));
    }

    private static ShardState letters() {
        return new ShardState()
                .letter("a", "w1-1", T0 - 3, "BURIED", 1, T0 - 9, "E: no")
                .letter("b", "w1-1", T0 - 2, "BURIED", 1, T0 - 9, "E: no");
    }

    private static Function<StoreBench, Object> replay(String letter, Due due) {
        return bench -> bench.store().replay(bench.shard(), letter, due);
    }

    private static Function<StoreBench, Object> purge(Purge purge) {
        return bench -> bench.store().purge(bench.shard(), purge);
    }

    private static Function<StoreBench, Object> retention(long age, long count) {
        return purge(new Purge.Retention(Duration.ofMillis(age), count));
    }

    @Test
    void aPurgeRemovesAtMostFiveHundred() {
        ShardState many = new ShardState();
        IntStream.range(0, 1201).forEach(i -> many.letter("m" + i, "w1-1", T0 - i, "BURIED", 1, T0, ""));
        bench.given(many);
        Purge all = new Purge.DiedUntil(Instant.ofEpochMilli(T0));
        assertThat(IntStream.range(0, 4).map(i -> bench.store().purge(bench.shard(), all)))
                .containsExactly(500, 500, 201, 0);
    }

    @Test
    void retentionForgetsConsumersThatWereSilentForADay() {
        bench.given(new ShardState().scheduled("a", T0));
        bench.step(Steps.by("old", 1).claim(1));
        bench.store().step(bench.shard().deaths(), Steps.by("old", 1).build());
        bench.clock(T0 + 1);
        bench.step(Steps.by("idle", 1));
        bench.clock(T0 + 86_400_001);
        bench.step(Steps.by("young", 1));
        assertThat(bench.meta("meta")).containsKeys("c:old", "r:old", "c:idle", "c:young");
        bench.store().purge(bench.shard(), new Purge.Retention(Duration.ofDays(30), 10));
        assertThat(bench.meta("meta")).containsKeys("c:idle", "c:young").doesNotContainKeys("c:old", "r:old");
        assertThat(bench.meta("deaths.meta")).doesNotContainKeys("c:old");
    }

    @Test
    void aLetterTellsAllThatIsKnown() {
        bench.given(new ShardState().leased("a@b", T0 - 5, "w1-1", T0 + 9, 2, ""));
        bench.clock(T0 + 7);
        bench.step(Steps.by("w1", 3).bury("a@b", "w1-1", DeathCause.NOT_RETRYABLE));
        DeadLetter letter = bench.store()
                .letters(bench.shard(), new LetterQuery.One("a@b@w1-1"))
                .get(0);
        assertThat(letter.messageId()).isEqualTo("a@b");
        assertThat(letter.topic()).isEqualTo("orders");
        assertThat(letter.diedAt()).isEqualTo(Instant.ofEpochMilli(T0 + 7));
        assertThat(letter.cause()).isEqualTo(DeathCause.NOT_RETRYABLE);
        assertThat(letter.attempts()).isEqualTo(2);
        assertThat(letter.failure()).isEqualTo(new Failure("E", "no", "at x\nat y"));
        assertThat(letter.envelope().payload()).asString().isEqualTo("a@b");
    }

    @Test
    void lettersOfOneIdDoNotOverwriteEachOther() {
        for (int i = 1; i <= 3; i++) {
            bench.store().send(bench.shard(), List.of(Sends.at("a", T0)));
            bench.step(Steps.by("w1", 2L * i).claim(1));
            bench.step(Steps.by("w1", 2L * i + 1).bury("a", "w1-" + 2 * i, DeathCause.BURIED));
        }
        assertThat(page(null, 0, 10)).containsExactly("a@w1-6", "a@w1-4", "a@w1-2");
    }

    @Test
    void lettersComeInPagesYoungestFirst() {
        bench.given(new ShardState()
                .letter("a", "t", T0 - 3, "BURIED", 1, T0, "")
                .letter("b", "t", T0 - 2, "EXPIRED", 0, T0, "")
                .letter("c", "t", T0 - 1, "LEASE_OVER", 1, T0, ""));
        assertThat(page(null, 0, 2)).containsExactly("c@t", "b@t");
        assertThat(page(null, 2, 2)).containsExactly("a@t");
        assertThat(page(null, 3, 2)).isEmpty();
        assertThat(page(Instant.ofEpochMilli(T0 - 2), 0, 9)).containsExactly("b@t", "a@t");
        assertThat(page(Instant.MAX, 0, 9)).containsExactly("c@t", "b@t", "a@t");
        assertThat(page(Instant.MIN, 0, 9)).isEmpty();
    }

    @Test
    void aPageOfLettersStaysWithinTheByteBound() {
        String large = "x".repeat(700 * 1024);
        ShardState state = new ShardState();
        for (String id : List.of("a", "b", "c", "d")) {
            state.put("dead", id + "@t", T0)
                    .put("letters", id + "@t", record(T0, "BURIED", 1, T0, "", stored(large, T0)));
        }
        bench.given(state);
        assertThat(page(null, 0, 500)).containsExactly("d@t", "c@t");
        assertThat(page(null, 2, 500)).containsExactly("b@t", "a@t");
    }

    @Test
    void whatCannotBeReadIsALetterWithItsBytesAndHidesNoOther() {
        List<String> foreign = List.of(
                "",
                "2 what a later version writes\n",
                "1 x BURIED 1 2 0\n\n",
                "1 1 REPENTED 1 2 0\n\n",
                "1 1 BURIED 1 2 99\nshort\n",
                "1 1 BURIED 1 2 -9\nshort\n",
                "1 " + Long.MAX_VALUE + "0 BURIED 1 2 0\n\n");
        ShardState state = new ShardState().letter("good", "t", T0, "BURIED", 1, T0, "");
        for (int i = 0; i < foreign.size(); i++) {
            state.put("dead", i + "@t", T0 + 1 + i).put("letters", i + "@t", foreign.get(i));
        }
        bench.given(state.put("dead", "nameless", T0 - 1).put("letters", "nameless", "?"));

        List<DeadLetter> letters = bench.store().letters(bench.shard(), new LetterQuery.Page(null, 0, 50));

        assertThat(letters).hasSize(foreign.size() + 2);
        for (DeadLetter letter : letters) {
            if (letter.messageId().equals("good")) {
                assertThat(letter.cause()).isEqualTo(DeathCause.BURIED);
            } else {
                String stored =
                        letter.letterId().equals("nameless") ? "?" : foreign.get(Integer.parseInt(letter.messageId()));
                assertThat(letter.cause()).isEqualTo(DeathCause.UNREADABLE);
                assertThat(letter.envelope().payload()).asString().isEqualTo(stored);
            }
        }
        assertThat(letters)
                .as("told by their place where they don't tell themselves")
                .filteredOn(letter -> letter.letterId().matches("0@t|1@t|nameless"))
                .extracting(DeadLetter::diedAt)
                .containsExactly(
                        Instant.ofEpochMilli(T0 + 2), Instant.ofEpochMilli(T0 + 1), Instant.ofEpochMilli(T0 - 1));
    }

    @Test
    void aLetterThatIsGoneOrHalfGoneIsNotFound() {
        bench.given(new ShardState().put("dead", "a@t", T0));
        assertThat(page(null, 0, 10)).isEmpty();
        for (String id : List.of("a@t", "b@t", SENTINEL)) {
            assertThat(bench.store().letters(bench.shard(), new LetterQuery.One(id)))
                    .isEmpty();
        }
    }

    private static List<String> page(Instant until, long offset, int count) {
        return bench.store().letters(bench.shard(), new LetterQuery.Page(until, offset, count)).stream()
                .map(DeadLetter::letterId)
                .toList();
    }
}
