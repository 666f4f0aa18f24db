package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.message;
import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.ShardKeys;
import io.delayqueue.store.OutgoingMessage.Memory;
import io.delayqueue.store.VersionedCancel;
import io.delayqueue.store.bench.Row;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The state tables of {@code cancel.lua}, {@code reschedule.lua}, {@code find.lua} and {@code count.lua}. */
class VerbScriptTests extends ScriptTable {

    private static final long END = T0 + 30_000;
    private static final String SENTINEL = "~".repeat(257);

    static Stream<Row> table() {
        return Stream.of(cancels(), cancelsUpToAVersion(), reschedules()).flatMap(rows -> rows);
    }

    private static Stream<Row> cancels() {
        return Stream.of(new Row(
                "cancel",
                state("deadLetter dead w1-1 0 REQUESTED 1 0, scheduled scheduled 5, "
                                + "retrying retrying 5 2 E: no, suspect suspect 0 0 /2/0, "
                                + "leased leased 0 w1-1 30000, leased both 0 w1-1 30000, "
                                + "schedule both 0, schedule leftover 0, leases leftover 0")
                        .put("deliveries", "leftover", "w1-1 1 5 ")
                        .scheduled("another", T0),
                outcomes(
                        StoreBench::cancel,
                        "absent",
                        "dead",
                        "scheduled",
                        "retrying",
                        "suspect",
                        "leased",
                        "both",
                        "leftover",
                        SENTINEL),
                "absent NOT_FOUND, dead NOT_FOUND, scheduled CANCELLED, retrying CANCELLED, suspect CANCELLED, "
                        + "leased CANCELLED_WHILE_HANDLED, both CANCELLED, leftover NOT_FOUND, sentinel NOT_FOUND",
                state("deadLetter dead w1-1 0 REQUESTED 1 0, scheduled another 0")));
    }

    private static Function<StoreBench, Object> each(BiFunction<StoreBench, String, Object> call, List<String> ids) {
        return bench -> ids.stream().map(id -> call.apply(bench, id)).toList();
    }

    /** Calls for each id. The result is a text. */
    private static Function<StoreBench, Object> outcomes(BiFunction<StoreBench, String, Object> call, String... ids) {
        return bench -> Stream.of(ids)
                .map(id -> (id.equals(SENTINEL) ? "sentinel" : id) + " " + call.apply(bench, id))
                .collect(Collectors.joining(", "));
    }

    private static Stream<Row> cancelsUpToAVersion() {
        long version = 1_700_000_000_000_005L;
        VersionedCancel later = kept(version + 1);
        VersionedCancel cancelled = cancelled(CancelOutcome.CANCELLED, VersionedCancel.NO_VERSION);
        VersionedCancel leased = cancelled(CancelOutcome.CANCELLED_WHILE_HANDLED, VersionedCancel.NO_VERSION);
        ShardState state = state(
                        "scheduled none 0, leased leased 0 w1-1 30000, retrying retrying 0 1") // or taken back after
                // its lease
                .scheduled("same", T0)
                .put("messages", "same", message("n" + version, T0, T0, "\na"))
                .scheduled("greater", T0)
                .put("messages", "greater", message("+n1700000000000006 l=9000", T0, T0, "\na"));
        List<String> ids = List.of("absent", "none", "leased", "retrying", "same", "greater");
        ShardState greater = state("scheduled greater 0")
                .put("messages", "greater", state.get("messages").get("greater"));
        ShardState unclaimed = state("scheduled none 0, scheduled same 0")
                .put("messages", "same", state.get("messages").get("same"))
                .scheduled("greater", T0)
                .put("messages", "greater", state.get("messages").get("greater"));
        return Stream.of(
                new Row(
                        "cancel up to a version: what has a greater one stays",
                        state,
                        each((bench, id) -> cancelUpTo(bench, id, version, false), ids),
                        List.of(
                                VersionedCancel.NOT_FOUND,
                                cancelled,
                                leased,
                                cancelled,
                                cancelled(CancelOutcome.CANCELLED, version),
                                later),
                        greater),
                new Row(
                        "cancel up to a version if claimed: what was never claimed stays",
                        state,
                        each((bench, id) -> cancelUpTo(bench, id, version, true), ids),
                        List.of(
                                VersionedCancel.NOT_FOUND,
                                kept(VersionedCancel.NO_VERSION),
                                leased,
                                cancelled,
                                kept(version),
                                later),
                        unclaimed),
                Row.unchanged(
                        "version",
                        state,
                        each(
                                (bench, id) ->
                                        bench.store().version(bench.shard(), id).join(),
                                List.of("absent", "same")),
                        List.of(VersionedCancel.NOT_FOUND, kept(version))));
    }

    private static VersionedCancel cancelUpTo(StoreBench bench, String id, long version, boolean ifHandled) {
        return bench.store()
                .cancelUpTo(bench.shard(), id, version, ifHandled, Durability.NONE)
                .join();
    }

    private static VersionedCancel cancelled(CancelOutcome outcome, long version) {
        return new VersionedCancel(outcome, false, version);
    }

    private static VersionedCancel kept(long version) {
        return new VersionedCancel(CancelOutcome.NOT_FOUND, true, version);
    }

    private static Stream<Row> reschedules() {
        return Stream.of(
                new Row(
                        "reschedule to a date, also in the head; attempts and crashes are kept",
                        state("schedule 'no message' 0, leased leased 0 w1-1 30000, "
                                + "scheduled scheduled 5, retrying retrying 5 2 E: no, "
                                + "suspect suspect 0 1 /2/0 E: no"),
                        outcomes(
                                (bench, id) -> bench.reschedule(id, new Due(T0 + 70, false)),
                                "absent",
                                "no message",
                                "leased",
                                "scheduled",
                                "retrying",
                                "suspect",
                                SENTINEL),
                        "absent NOT_FOUND, no message NOT_FOUND, leased BEING_HANDLED, scheduled RESCHEDULED, "
                                + "retrying RESCHEDULED, suspect RESCHEDULED, sentinel NOT_FOUND",
                        state("schedule 'no message' 0, leased leased 0 w1-1 30000, "
                                + "scheduled scheduled 70, retrying retrying 70 2 E: no, "
                                + "crashed suspect 70 1 /2/0 E: no")),
                new Row(
                        "reschedule by a delay, limits kept",
                        state("scheduled a 0").put("messages", "a", message("+n a=3 x=5", T0, T0, "x: 1\n\n12\n34")),
                        bench -> bench.reschedule("a", new Due(70, true)),
                        RescheduleOutcome.RESCHEDULED,
                        state("scheduled a 70")
                                .put("messages", "a", message("+n a=3 x=5", T0, T0 + 70, "x: 1\n\n12\n34"))));
    }

    private static CancelOutcome cancelOnce(String id, String nonce) {
        Memory memory = new Memory(nonce, Duration.ofMinutes(1));
        return Await.result(bench.store().cancel(bench.shard(), id, memory, Durability.NONE));
    }

    @Test
    void aRepeatedCancelChangesNothingWhateverTheFirstOneFound() {
        bench.given(state("scheduled scheduled 5, leased leased 0 w1-1 30000"));
        List<String> ids = List.of("scheduled", "leased", "absent");
        assertThat(ids)
                .extracting(id -> cancelOnce(id, "n1"))
                .containsExactly(
                        CancelOutcome.CANCELLED, CancelOutcome.CANCELLED_WHILE_HANDLED, CancelOutcome.NOT_FOUND);
        ids.forEach(id -> bench.send(Sends.at(id, T0 + 7)));

        bench.clock(T0 + 59_999);
        assertThat(ids).extracting(id -> cancelOnce(id, "n1")).containsOnly(CancelOutcome.NOT_FOUND);
        assertThat(bench.state().get("messages")).containsOnlyKeys(ids);

        assertThat(cancelOnce("absent", "n2")).as("another cancel").isEqualTo(CancelOutcome.CANCELLED);
        bench.clock(T0 + 60_000);
        assertThat(cancelOnce("scheduled", "n1")).as("a forgotten one").isEqualTo(CancelOutcome.CANCELLED);
        assertThat(bench.state().get("messages")).containsOnlyKeys("leased");
    }

    @Test
    void expiredCancelsAreRemoved() {
        ShardKeys keys = bench.keySpace().of(bench.shard());
        bench.given(new ShardState());
        List.of("a", "b", "c", "d", "e").forEach(id -> cancelOnce(id, "n"));
        bench.clock(T0 + 60_000);

        cancelOnce("f", "n");

        assertThat(bench.redis().call("HLEN", keys.sent()))
                .as("two go with each; the sentinel stays")
                .isEqualTo(5L)
                .isEqualTo(bench.redis().call("ZCARD", keys.sentUntil()));
    }

    @Test
    void aForeignMessageIsRescheduledUnchanged() {
        for (String foreign : List.of("", "1", "of a stranger, 12", "{}\n\n")) {
            bench.reset();
            bench.given(state("schedule a 0").put("messages", "a", foreign));
            assertThat(bench.reschedule("a", new Due(70, true))).isEqualTo(RescheduleOutcome.RESCHEDULED);
            assertThat(bench.state()).isEqualTo(state("schedule a 70").put("messages", "a", foreign));
        }
    }

    @Test
    void findSeesADueMessageAsReady() {
        bench.given(state("scheduled a 0"));
        MessageSnapshot found =
                Await.result(bench.store().find(bench.shard(), "a")).orElseThrow();
        assertThat(found.state()).isEqualTo(MessageState.READY);
        assertThat(found.attempts()).isZero();
        assertThat(found.lastFailure()).isNull();
    }

    @Test
    void findReportsTheOwnerOfALease() {
        bench.given(state("leased a -5 node.7-1z 30000 3 E: no"));
        MessageSnapshot found =
                Await.result(bench.store().find(bench.shard(), "a")).orElseThrow();
        assertThat(found.state()).isEqualTo(MessageState.LEASED);
        assertThat(found.holder()).isEqualTo("node.7");
        assertThat(found.leaseEnd()).isEqualTo(Instant.ofEpochMilli(END));
        assertThat(found.dueAt()).isEqualTo(Instant.ofEpochMilli(T0 - 5));
        assertThat(found.attempts()).isEqualTo(3);
    }

    @Test
    void findSeesNoDeadMessage() {
        bench.given(state("deadLetter a w1-1 0 REQUESTED 1 0, schedule b 0"));
        for (String id : List.of("a", "b", SENTINEL)) {
            assertThat(Await.result(bench.store().find(bench.shard(), id))).isEmpty();
        }
    }
}
