package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.message;
import static io.delayqueue.store.bench.ShardState.record;
import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.ShardState.stored;
import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DeadLetterKind;
import io.delayqueue.message.Due;
import io.delayqueue.message.Failure;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.redis.Await;
import io.delayqueue.store.DeadLetterEntry;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.store.DeadLetterQuery.Page;
import io.delayqueue.store.Purge;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Row;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The state tables of {@code replay.lua}, {@code purge.lua}, {@code deadletters.lua} and {@code deadletterkinds.lua}. */
class DeadLetterScriptTests extends ScriptTable {

    private static final String SENTINEL = "~".repeat(257);

    static Stream<Row> table() {
        return Stream.of(replays(), strangeReplays(), unreadableReplays(), halfReplays(), purges(), retentions())
                .flatMap(rows -> rows);
    }

    private static Stream<Row> replays() {
        return Stream.of(
                Row.unchanged(
                        "replay: absent, an id, the sentinel",
                        deadLetters(),
                        replay(Due.NOW, "a@w1-2", "a", SENTINEL),
                        Collections.nCopies(3, ReplayOutcome.NOT_FOUND)),
                Row.unchanged(
                        "replay, the id is live: the dead letter stays",
                        deadLetters().retrying("a", T0 + 5, 1, "").put("messages", "a", message("m", 5, 6, "\na")),
                        replay(new Due(T0 + 70, false), "a@w1-1"),
                        List.of(ReplayOutcome.ID_LIVE)),
                new Row(
                        "replay: scheduled, attempts from zero; dead letter and notification go, also one that is handled",
                        deadLetters()
                                .notification("a@w1-1", T0 - 3)
                                .notification("b@w1-1", T0 - 2)
                                .deadLetter("c", "w1-1", T0 - 1, "REQUESTED", 1, T0 - 9, "E: no")
                                .put("notifications.messages", "c@w1-1", message("", 5, 5, "\n"))
                                .put("notifications.leases", "c@w1-1", T0 + 9)
                                .put("notifications.deliveries", "c@w1-1", "w3-1 1 5 "),
                        replay(new Due(T0 + 70, false), "a@w1-1", "c@w1-1"),
                        List.of(ReplayOutcome.REPLAYED, ReplayOutcome.REPLAYED),
                        state("scheduled a 70, scheduled c 70, "
                                + "deadLetter b w1-1 -2 REQUESTED 1 -9 E: no, notification b@w1-1 -2")));
    }

    @Test
    void severalDeadLettersAreReplayedInOneCall() {
        bench.given(deadLetters());
        assertThat(Await.call(() -> bench.store()
                        .replay(bench.shard(), List.of("b@w1-1", "c@w1-1", SENTINEL, "a@w1-1"), new Due(30, true))))
                .containsExactly(
                        ReplayOutcome.REPLAYED,
                        ReplayOutcome.NOT_FOUND,
                        ReplayOutcome.NOT_FOUND,
                        ReplayOutcome.REPLAYED);
        assertThat(bench.state())
                .hasToString(state("scheduled a 30, scheduled b 30").toString());
    }

    @Test
    void kindIsCauseExceptionTypeAndMessageWithoutItsVariableWords() {
        bench.given(state("deadLetter a w1-1 -9 ATTEMPTS_SPENT 3 -9 x.Down: order 17 of 'Ann' can't ship\nat x, "
                        + "deadLetter b w1-1 -8 ATTEMPTS_SPENT 3 -9 x.Down: order 4711 of 'Bob' can't ship")
                .deadLetter(
                        "c",
                        "w1-1",
                        T0 - 7,
                        "REQUESTED",
                        1,
                        T0 - 9,
                        "requested: id 6f-7a \"x y\" " + "\u00c3\u00a4".repeat(200))
                .and("deadLetter d w1-1 -6 CRASHED 1 -9, dead e@w1-1 -5")
                .put("deadLetters", "e@w1-1", "?"));
        DeadLetterKind down = new DeadLetterKind("ATTEMPTS_SPENT", "x.Down", "order ? of ? can't ship");

        assertThat(kinds(new Page(null, 0, 500)))
                .containsExactly(
                        entry("e", T0 - 5, new DeadLetterKind("UNREADABLE", "", "")),
                        entry("d", T0 - 6, new DeadLetterKind("CRASHED", "", "")),
                        entry("c", T0 - 7, new DeadLetterKind("REQUESTED", "requested", "id ? ? " + "ä".repeat(92))),
                        entry("b", T0 - 8, down),
                        entry("a", T0 - 9, down));
        assertThat(kinds(new Page(Instant.ofEpochMilli(T0 - 7), 1, 1))).containsExactly(entry("b", T0 - 8, down));
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', delimiter = '|', textBlock = """
        500 : "order 17 is locked"                      | ? : "order ? is locked"
        503 : "{"status":503,"error":"Out of order"}"   | ? : ?status?error?Out of order?
        503 : [no body]                                 | ? : [no body]
        17 : 4711                                       | ? : ?
        '订单' : 17                                     | '订单' : ?
        订单 "17"                                       | 订单 ?
        """)
    void quotedTextStaysIfNothingElseHasLetters(String message, String shape) {
        bench.given(new ShardState().deadLetter("a", "w1-1", T0, "CRASHED", 1, T0, "x.Down: " + bytesOf(message)));

        assertThat(kinds(new Page(null, 0, 1)))
                .containsExactly(entry("a", T0, new DeadLetterKind("CRASHED", "x.Down", shape)));
    }

    /** A character for each byte, as the state of the shard has it. */
    private static String bytesOf(String text) {
        return new String(text.getBytes(UTF_8), ISO_8859_1);
    }

    private static DeadLetterEntry entry(String id, long time, DeadLetterKind kind) {
        return new DeadLetterEntry(id + "@w1-1", Instant.ofEpochMilli(time), kind);
    }

    private static List<DeadLetterEntry> kinds(Page page) {
        return Await.call(() -> bench.reader().deadLetterKinds(bench.shard(), page));
    }

    private static Stream<Row> strangeReplays() {
        String limited = message("+n a=3 l=9000 x=5 e=" + T0, T0 - 9, T0 - 5, "x: 1 e=7\n\n12\n34");
        String again = message("+n a=3 l=9000 x=5", T0 - 9, T0 + 70, "x: 1 e=7\n\n12\n34");
        return Stream.of(new Row(
                "replay: the absolute expiry is stripped; an id with an @; what somebody else wrote as it is",
                state("dead a@w1-1 0")
                        .put("deadLetters", "a@w1-1", record(T0, "EXPIRED", 0, T0, "E: a\nb", limited))
                        .and("deadLetter a@w1-1 w2-1 0 REQUESTED 1 0, dead foreign@w1-1 0")
                        .put("deadLetters", "foreign@w1-1", record(T0, "UNREADABLE", 1, T0, "", "{}")),
                replay(new Due(70, true), "a@w1-1", "a@w1-1@w2-1", "foreign@w1-1"),
                Collections.nCopies(3, ReplayOutcome.REPLAYED),
                state("schedule a 70")
                        .put("messages", "a", again)
                        .and("scheduled a@w1-1 70, schedule foreign 70")
                        .put("messages", "foreign", "{}")));
    }

    private static Stream<Row> unreadableReplays() {
        return Stream.of(
                        "",
                        "?",
                        "?\n\n?",
                        "2 1 REQUESTED 1 2 0\n\n" + message("m", 5, 6, "\na"),
                        "1 1 REQUESTED 1 2 99\nshort\n",
                        "1 1 REQUESTED 1 2 -9\nlong enough\n")
                .map(stored -> Row.unchanged(
                        "replay of what is unreadable: " + stored,
                        deadLetters()
                                .put("deadLetters", "a@w1-1", stored)
                                .put("dead", "nameless", T0 - 3)
                                .put("deadLetters", "nameless", stored),
                        replay(Due.NOW, "a@w1-1", "nameless"),
                        List.of(ReplayOutcome.UNREADABLE, ReplayOutcome.UNREADABLE)));
    }

    private static Stream<Row> halfReplays() {
        return Stream.of(new Row(
                "a replay that stopped is finished by its repeat, also when its message was claimed meanwhile",
                deadLetters()
                        .deadLetter("c", "w1-1", T0 - 1, "REQUESTED", 1, T0 - 9, "E: no")
                        .scheduled("a", T0 + 70)
                        .leased("b", T0 - 1, "w2-1", T0 + 70)
                        .put("schedule", "c", T0 + 70),
                replay(new Due(90, true), "a@w1-1", "b@w1-1", "c@w1-1"),
                Collections.nCopies(3, ReplayOutcome.REPLAYED),
                state("scheduled a 70, leased b -1 w2-1 70, scheduled c 90")));
    }

    private static Stream<Row> purges() {
        ShardState both = deadLetters()
                .notification("a@w1-1", T0 - 3)
                .notification("b@w1-1", T0 - 2)
                .scheduled("a", T0);
        ShardState without =
                state("deadLetter b w1-1 -2 REQUESTED 1 -9 E: no, notification b@w1-1 -2, " + "scheduled a 0");
        return Stream.of(
                new Row("purge the named", both, purge(new Purge.Named(List.of("a@w1-1", "a", "x"))), 1, without),
                Row.unchanged("purge none", both, purge(new Purge.Named(List.of())), 0),
                Row.unchanged("purge of the sentinel", both, purge(new Purge.Named(List.of(SENTINEL))), 0),
                new Row(
                        "a purge that stopped midway is finished by its repeat",
                        state("dead a@w1-1 0"),
                        purge(new Purge.Named(List.of("a@w1-1"))),
                        1,
                        new ShardState()));
    }

    private static Stream<Row> retentions() {
        ShardState a = state("deadLetter a w1-1 -3 REQUESTED 1 -9 E: no");
        ShardState b = state("deadLetter b w1-1 -2 REQUESTED 1 -9 E: no");
        return Stream.of(
                Row.unchanged("retention keeps the young and few", deadLetters(), retention(4, 2), 0),
                new Row("retention drops the old", deadLetters(), retention(3, 2), 1, b),
                new Row("retention drops the oldest of too many", deadLetters(), retention(4, 1), 1, b),
                new Row(
                        "retention drops the old also when that is not enough",
                        deadLetters(),
                        retention(3, 0),
                        2,
                        new ShardState()),
                new Row("retention of none", deadLetters(), retention(4, 0), 2, new ShardState()),
                new Row("retention of no age", deadLetters(), retention(0, 9), 2, new ShardState()),
                new Row("retention doesn't touch the sentinel", a, retention(9, 0), 1, new ShardState()));
    }

    private static ShardState deadLetters() {
        return state("deadLetter a w1-1 -3 REQUESTED 1 -9 E: no, " + "deadLetter b w1-1 -2 REQUESTED 1 -9 E: no");
    }

    /** Replays each by a call of its own. */
    private static Function<StoreBench, Object> replay(Due due, String... deadLetters) {
        return bench -> Stream.of(deadLetters)
                .map(deadLetter -> Await.result(bench.store().replay(bench.shard(), List.of(deadLetter), due))
                        .get(0))
                .toList();
    }

    private static Function<StoreBench, Object> purge(Purge purge) {
        return bench -> Await.result(bench.store().purge(bench.shard(), purge));
    }

    private static Function<StoreBench, Object> retention(long age, long count) {
        return purge(new Purge.Retention(Duration.ofMillis(age), count, 256L << 20));
    }

    /** Dead letters from the oldest on, each with a record of so many bytes. */
    private void deadLettersOf(int count, IntUnaryOperator bytes) {
        ShardState state = new ShardState();
        for (int i = 0; i < count; i++) {
            String id = "m" + i + "@w1-1";
            state.put("dead", id, T0 - count + i).put("deadLetters", id, "x".repeat(bytes.applyAsInt(i)));
        }
        bench.given(state);
        bench.redis().call("HSET", bench.keySpace().of(bench.shard()).meta(), "largest", "1048576");
    }

    private int pruned(long bytes) {
        return Await.result(
                bench.store().purge(bench.shard(), new Purge.Retention(Duration.ofDays(1), 100_000, bytes)));
    }

    @Test
    void retentionDropsTheOldestOfDeadLettersThatAreTooLargeTogether() {
        deadLettersOf(10, i -> i < 5 ? 1000 : 2000);

        assertThat(pruned(15_000)).isZero();
        assertThat(pruned(14_999)).isOne();
        assertThat(pruned(10_000)).isEqualTo(4);
        assertThat(pruned(9_999)).isOne();
        assertThat(bench.state().get("dead").keySet()).containsExactly("m6@w1-1", "m7@w1-1", "m8@w1-1", "m9@w1-1");
        assertThat(pruned(0)).isEqualTo(4);
        assertThat(pruned(0)).isZero();
    }

    /** From a random sample, whose sum is within 10% of this at nine standard deviations. */
    @Test
    void theSizeOfManyDeadLettersIsEstimated() {
        deadLettersOf(2000, i -> i % 4 == 0 ? 1000 : 600);
        long size = 500 * 1000 + 1500 * 600;

        assertThat(pruned(size * 11 / 10)).isZero();
        int dropped = pruned(size * 9 / 10);
        assertThat(dropped).isBetween(50, 350);
        assertThat(pruned(100_000)).isEqualTo(500);
    }

    @Test
    void retentionRemovesConsumersWithoutAPollForADay() {
        bench.given(state("scheduled a 0"));
        bench.poll(Polls.by("old", 1).claim(1));
        Polls.poll(
                bench.store(), bench.shard().notifications(), Polls.by("old", 1).build());
        bench.clock(T0 + 1);
        bench.poll(Polls.by("idle", 1));
        bench.clock(T0 + 86_400_001);
        bench.poll(Polls.by("young", 1));
        assertThat(bench.meta("meta")).containsKeys("c:old", "c:idle", "c:young");
        Await.result(bench.store().purge(bench.shard(), new Purge.Retention(Duration.ofDays(30), 10, 256L << 20)));
        assertThat(bench.meta("meta")).containsKeys("c:idle", "c:young").doesNotContainKey("c:old");
        assertThat(bench.meta("notifications.meta")).doesNotContainKeys("c:old");
    }

    @Test
    void deadLettersArePagedNewestFirst() {
        bench.given(state(
                "deadLetter a t -3 REQUESTED 1 0, deadLetter b t -2 EXPIRED 0 0, " + "deadLetter c t -1 CRASHED 1 0"));
        assertThat(page(null, 0, 2)).containsExactly("c@t", "b@t");
        assertThat(page(null, 2, 2)).containsExactly("a@t");
        assertThat(page(null, 3, 2)).isEmpty();
        assertThat(page(Instant.ofEpochMilli(T0 - 2), 0, 9)).containsExactly("b@t", "a@t");
        assertThat(page(Instant.MAX, 0, 9)).containsExactly("c@t", "b@t", "a@t");
        assertThat(page(Instant.MIN, 0, 9)).isEmpty();
    }

    @Test
    void aPageOfDeadLettersStaysWithinTheByteBound() {
        String large = "x".repeat(700 * 1024);
        ShardState state = new ShardState();
        for (String id : List.of("a", "b", "c", "d")) {
            state.put("dead", id + "@t", T0)
                    .put("deadLetters", id + "@t", record(T0, "REQUESTED", 1, T0, "", stored(large, T0)));
        }
        bench.given(state);
        assertThat(page(null, 0, 500)).containsExactly("d@t", "c@t");
        assertThat(page(null, 2, 500)).containsExactly("b@t", "a@t");
    }

    @Test
    void whatCannotBeReadIsADeadLetterWithItsBytesAndHidesNoOther() {
        List<String> foreign = List.of(
                "",
                "2 what a later version writes\n",
                "1 x REQUESTED 1 2 0\n\n",
                "1 1 REQUESTED 1 2 99\nshort\n",
                "1 1 REQUESTED 1 2 -9\nshort\n",
                "1 " + Long.MAX_VALUE + "0 REQUESTED 1 2 0\n\n");
        ShardState state = state("deadLetter good t 0 REQUESTED 1 0");
        for (int i = 0; i < foreign.size(); i++) {
            state.put("dead", i + "@t", T0 + 1 + i).put("deadLetters", i + "@t", foreign.get(i));
        }
        bench.given(state.put("dead", "nameless", T0 - 1).put("deadLetters", "nameless", "?"));

        List<DeadLetter> deadLetters =
                Await.result(bench.store().deadLetters(bench.shard(), new DeadLetterQuery.Page(null, 0, 50)));

        assertThat(deadLetters).hasSize(foreign.size() + 2).allSatisfy(deadLetter -> {
            String id = deadLetter.messageId();
            boolean good = id.equals("good");
            assertThat(deadLetter.cause()).isEqualTo(good ? DeadLetterCause.REQUESTED : DeadLetterCause.UNREADABLE);
            assertThat(deadLetter.envelope().payload())
                    .asString()
                    .isEqualTo(good ? id : id.matches("\\d") ? foreign.get(Integer.parseInt(id)) : "?");
        });
        assertThat(deadLetters)
                .as("told by their place where they don't tell themselves")
                .filteredOn(deadLetter -> deadLetter.deadLetterId().matches("0@t|1@t|nameless"))
                .extracting(DeadLetter::deadLetteredAt)
                .containsExactly(
                        Instant.ofEpochMilli(T0 + 2), Instant.ofEpochMilli(T0 + 1), Instant.ofEpochMilli(T0 - 1));
    }

    @Test
    void causeOfANewerVersionIsUnknownAndAllElseIsRead() {
        bench.given(state("deadLetter a t 0 REPENTED 2 -5 E: no"));
        assertThat(Await.result(bench.store().deadLetters(bench.shard(), new DeadLetterQuery.Page(null, 0, 50))))
                .singleElement()
                .satisfies(deadLetter -> {
                    assertThat(deadLetter.cause()).isEqualTo(DeadLetterCause.UNKNOWN);
                    assertThat(deadLetter.causeName()).isEqualTo("REPENTED");
                    assertThat(deadLetter.attempts()).isEqualTo(2);
                    assertThat(deadLetter.failure()).isEqualTo(new Failure("E", "no"));
                    assertThat(deadLetter.envelope().payload()).asString().isEqualTo("a");
                });
    }

    @Test
    void aRemovedOrHalfRemovedDeadLetterIsNotFound() {
        bench.given(state("dead a@t 0"));
        assertThat(page(null, 0, 10)).isEmpty();
        for (String id : List.of("a@t", "b@t", SENTINEL)) {
            assertThat(Await.result(bench.store().deadLetters(bench.shard(), new DeadLetterQuery.One(id))))
                    .isEmpty();
        }
    }

    private static List<String> page(Instant until, long offset, int count) {
        return Await.result(bench.store().deadLetters(bench.shard(), new DeadLetterQuery.Page(until, offset, count)))
                .stream()
                .map(DeadLetter::deadLetterId)
                .toList();
    }
}
