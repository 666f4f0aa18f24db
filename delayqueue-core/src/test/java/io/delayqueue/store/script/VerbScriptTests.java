package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.message;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.Due;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.store.VersionedCancel;
import io.delayqueue.store.VersionedCancel.Outcome;
import io.delayqueue.store.bench.Row;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The state tables of {@code cancel.lua}, {@code reschedule.lua}, {@code find.lua} and {@code count.lua}. */
class VerbScriptTests extends ScriptTable {

    private static final long END = T0 + 30_000;

    static Stream<Row> table() {
        return Stream.of(cancels(), cancelsUpToAVersion(), reschedules()).flatMap(rows -> rows);
    }

    private static Stream<Row> cancels() {
        Function<StoreBench, Object> cancel = bench -> bench.store().awaitCancel(bench.shard(), "a");
        ShardState deadLetter = new ShardState().deadLetter("a", "w1-1", T0, "REQUESTED", 1, T0, "");
        return Stream.of(
                Row.unchanged(
                        "cancel, absent: not found",
                        new ShardState().scheduled("b", T0),
                        cancel,
                        CancelOutcome.NOT_FOUND),
                Row.unchanged("cancel, only a dead letter: not found", deadLetter, cancel, CancelOutcome.NOT_FOUND),
                new Row(
                        "cancel, scheduled: gone",
                        new ShardState().scheduled("a", T0 + 5).scheduled("b", T0),
                        cancel,
                        CancelOutcome.CANCELLED,
                        new ShardState().scheduled("b", T0)),
                new Row(
                        "cancel, scheduled for a retry: gone",
                        new ShardState().retrying("a", T0 + 5, 2, "E: no"),
                        cancel,
                        CancelOutcome.CANCELLED,
                        new ShardState()),
                new Row(
                        "cancel, leased: gone with its token",
                        new ShardState().leased("a", T0, "w1-1", END),
                        cancel,
                        CancelOutcome.CANCELLED_WHILE_HANDLED,
                        new ShardState()),
                new Row(
                        "cancel, scheduled and leased: counts as scheduled",
                        new ShardState().leased("a", T0, "w1-1", END).put("schedule", "a", T0),
                        cancel,
                        CancelOutcome.CANCELLED,
                        new ShardState()),
                new Row(
                        "cancel, leftovers without a message: not found, and swept",
                        new ShardState()
                                .put("schedule", "a", T0)
                                .put("leases", "a", T0)
                                .put("deliveries", "a", "w1-1 1 5 "),
                        cancel,
                        CancelOutcome.NOT_FOUND,
                        new ShardState()));
    }

    private static Stream<Row> cancelsUpToAVersion() {
        long version = 1_700_000_000_000_005L;
        long later = version + 1;
        Function<StoreBench, Object> cancel = bench ->
                bench.store().cancelUpTo(bench.shard(), "a", version, false).join();
        Function<StoreBench, Object> ifClaimed = bench ->
                bench.store().cancelUpTo(bench.shard(), "a", version, true).join();
        Function<StoreBench, Object> look =
                bench -> bench.store().version(bench.shard(), "a").join();
        ShardState greater = versioned("n1700000000000006 l=9000");
        ShardState same = versioned("n" + version);
        return Stream.of(
                Row.unchanged(
                        "cancel up to a version, absent: nothing", new ShardState(), cancel, VersionedCancel.NOT_FOUND),
                new Row(
                        "cancel up to a version, without a version: gone",
                        new ShardState().scheduled("a", T0 + 5).scheduled("b", T0),
                        cancel,
                        result(Outcome.CANCELLED, VersionedCancel.NO_VERSION),
                        new ShardState().scheduled("b", T0)),
                new Row(
                        "cancel up to a version, leased: gone with its token",
                        new ShardState().leased("a", T0, "w1-1", END),
                        cancel,
                        result(Outcome.CANCELLED, VersionedCancel.NO_VERSION),
                        new ShardState()),
                new Row(
                        "cancel up to a version, of that version: gone",
                        same,
                        cancel,
                        result(Outcome.CANCELLED, version),
                        new ShardState()),
                Row.unchanged(
                        "cancel up to a version, of a greater version: stays",
                        greater,
                        cancel,
                        result(Outcome.LIVE, later)),
                Row.unchanged(
                        "cancel if claimed, not claimed: stays", same, ifClaimed, result(Outcome.UNCLAIMED, version)),
                Row.unchanged(
                        "cancel if claimed, not claimed and without a version: stays",
                        new ShardState().scheduled("a", T0 + 5),
                        ifClaimed,
                        result(Outcome.UNCLAIMED, VersionedCancel.NO_VERSION)),
                Row.unchanged(
                        "cancel if claimed, of a greater version: stays",
                        greater,
                        ifClaimed,
                        result(Outcome.LIVE, later)),
                Row.unchanged(
                        "cancel if claimed, absent: nothing", new ShardState(), ifClaimed, VersionedCancel.NOT_FOUND),
                new Row(
                        "cancel if claimed, leased: gone with its token",
                        new ShardState().leased("a", T0, "w1-1", END),
                        ifClaimed,
                        result(Outcome.CANCELLED, VersionedCancel.NO_VERSION),
                        new ShardState()),
                new Row(
                        "cancel if claimed, taken back after its lease: gone",
                        new ShardState().retrying("a", T0 + 5, 1, ""),
                        ifClaimed,
                        result(Outcome.CANCELLED, VersionedCancel.NO_VERSION),
                        new ShardState()),
                Row.unchanged("version: stays", same, look, result(Outcome.LIVE, version)),
                Row.unchanged("version, absent: nothing", new ShardState(), look, VersionedCancel.NOT_FOUND));
    }

    private static VersionedCancel result(Outcome outcome, long version) {
        return new VersionedCancel(outcome, version);
    }

    private static ShardState versioned(String line) {
        String head = line.indexOf(' ') < 0 ? line : "+" + line;
        return new ShardState().put("schedule", "a", T0).put("messages", "a", message(head, T0, T0, "\na"));
    }

    private static Stream<Row> reschedules() {
        Function<StoreBench, Object> reschedule =
                bench -> bench.store().awaitReschedule(bench.shard(), "a", new Due(T0 + 70, false));
        Function<StoreBench, Object> after =
                bench -> bench.store().awaitReschedule(bench.shard(), "a", new Due(70, true));
        return Stream.of(
                Row.unchanged(
                        "reschedule, absent: not found", new ShardState(), reschedule, RescheduleOutcome.NOT_FOUND),
                Row.unchanged(
                        "reschedule, a schedule without a message: not found",
                        new ShardState().put("schedule", "a", T0),
                        reschedule,
                        RescheduleOutcome.NOT_FOUND),
                Row.unchanged(
                        "reschedule, leased: being handled",
                        new ShardState().leased("a", T0, "w1-1", END),
                        reschedule,
                        RescheduleOutcome.BEING_HANDLED),
                new Row(
                        "reschedule, scheduled: to a date, also in the head",
                        new ShardState().scheduled("a", T0 + 5),
                        reschedule,
                        RescheduleOutcome.RESCHEDULED,
                        new ShardState().scheduled("a", T0 + 70)),
                new Row(
                        "reschedule, scheduled: by a delay, limits kept",
                        new ShardState()
                                .put("schedule", "a", T0)
                                .put("messages", "a", message("+n a=3 x=5", T0, T0, "x: 1\n\n12\n34")),
                        after,
                        RescheduleOutcome.RESCHEDULED,
                        new ShardState()
                                .put("schedule", "a", T0 + 70)
                                .put("messages", "a", message("+n a=3 x=5", T0, T0 + 70, "x: 1\n\n12\n34"))),
                new Row(
                        "reschedule, scheduled for a retry: attempts kept",
                        new ShardState().retrying("a", T0 + 5, 2, "E: no"),
                        reschedule,
                        RescheduleOutcome.RESCHEDULED,
                        new ShardState()
                                .scheduled("a", T0 + 70)
                                .put("deliveries", "a", "- 2 " + (T0 + 70) + " E: no")));
    }

    @Test
    void aForeignMessageIsRescheduledUnchanged() {
        for (String foreign : List.of("", "1", "of a stranger, 12", "{}\n\n")) {
            bench.reset();
            bench.given(new ShardState().put("schedule", "a", T0).put("messages", "a", foreign));
            assertThat(bench.store().awaitReschedule(bench.shard(), "a", new Due(70, true)))
                    .isEqualTo(RescheduleOutcome.RESCHEDULED);
            assertThat(bench.state())
                    .isEqualTo(new ShardState().put("schedule", "a", T0 + 70).put("messages", "a", foreign));
        }
    }

    @Test
    void findSeesAScheduledMessage() {
        bench.given(new ShardState().retrying("a", T0 + 5, 2, "E: no"));
        MessageSnapshot found = bench.store().awaitFind(bench.shard(), "a").orElseThrow();
        assertThat(found.state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(found.dueAt()).isEqualTo(Instant.ofEpochMilli(T0 + 5));
        assertThat(found.attempts()).isEqualTo(2);
        assertThat(found.lastFailure()).isEqualTo("E: no");
        assertThat(found.holder()).isNull();
        assertThat(found.leaseEnd()).isNull();
        assertThat(found.envelope().payload()).asString().isEqualTo("a");
    }

    @Test
    void findSeesADueMessageAsReady() {
        bench.given(new ShardState().scheduled("a", T0));
        MessageSnapshot found = bench.store().awaitFind(bench.shard(), "a").orElseThrow();
        assertThat(found.state()).isEqualTo(MessageState.READY);
        assertThat(found.attempts()).isZero();
        assertThat(found.lastFailure()).isNull();
    }

    @Test
    void findReportsTheOwnerOfALease() {
        bench.given(new ShardState().leased("a", T0 - 5, "node.7-1z", END, 3, "E: no"));
        MessageSnapshot found = bench.store().awaitFind(bench.shard(), "a").orElseThrow();
        assertThat(found.state()).isEqualTo(MessageState.LEASED);
        assertThat(found.holder()).isEqualTo("node.7");
        assertThat(found.leaseEnd()).isEqualTo(Instant.ofEpochMilli(END));
        assertThat(found.dueAt()).isEqualTo(Instant.ofEpochMilli(T0 - 5));
        assertThat(found.attempts()).isEqualTo(3);
    }

    @Test
    void findSeesNoDeadMessage() {
        bench.given(new ShardState()
                .deadLetter("a", "w1-1", T0, "REQUESTED", 1, T0, "")
                .put("schedule", "b", T0));
        assertThat(bench.store().awaitFind(bench.shard(), "a")).isEmpty();
        assertThat(bench.store().awaitFind(bench.shard(), "b")).isEmpty();
    }

    @Test
    void theSentinelIsNotAMessage() {
        String sentinel = "~".repeat(257);
        assertThat(bench.store().awaitFind(bench.shard(), sentinel)).isEmpty();
        assertThat(bench.store().awaitCancel(bench.shard(), sentinel)).isEqualTo(CancelOutcome.NOT_FOUND);
        assertThat(bench.store().awaitReschedule(bench.shard(), sentinel, Due.NOW))
                .isEqualTo(RescheduleOutcome.NOT_FOUND);
        assertThat(bench.state()).hasToString("");
    }

    @Test
    void anEmptyShardCountsNothing() {
        assertThat(bench.store().awaitCount(bench.shard())).isEqualTo(new ShardCounts(0, 0, 0, 0, 0, 0, Duration.ZERO));
        assertThat(bench.store().awaitCount(bench.shard().notifications()))
                .isEqualTo(new ShardCounts(0, 0, 0, 0, 0, 0, Duration.ZERO));
    }

    @Test
    void eachStateIsCounted() {
        bench.given(new ShardState()
                .scheduled("a", T0 + 4001)
                .scheduled("b", T0 + 4000)
                .scheduled("c", T0)
                .leased("d", T0, "w1-1", END)
                .deadLetter("e", "w1-1", T0, "REQUESTED", 1, T0, "")
                .deadLetter("f", "w1-1", T0, "REQUESTED", 1, T0, "")
                .notification("e@w1-1", T0 + 4000));
        bench.clock(T0 + 4000);
        assertThat(bench.store().awaitCount(bench.shard()))
                .isEqualTo(new ShardCounts(1, 2, 0, 1, 2, 2, Duration.ofSeconds(4)));
        assertThat(bench.store().awaitCount(bench.shard().notifications()))
                .isEqualTo(new ShardCounts(0, 1, 0, 0, 0, 0, Duration.ZERO));
    }

    @Test
    void suspectsCountAsReadyAndAsSuspects() {
        bench.given(new ShardState()
                .suspect("a", T0 + 1000, 0, "/2/0", "")
                .suspect("b", T0 + 2000, 0, "/2/0", "")
                .scheduled("c", T0 + 3000));
        bench.clock(T0 + 4000);
        assertThat(bench.store().awaitCount(bench.shard()))
                .isEqualTo(new ShardCounts(0, 3, 2, 0, 0, 0, Duration.ofSeconds(3)));
    }

    @Test
    void suspectIsCancelledAndRescheduled() {
        bench.given(new ShardState().suspect("a", T0, 0, "/2/0", "").suspect("b", T0, 1, "/2/0", "E: no"));
        assertThat(bench.store().awaitCancel(bench.shard(), "a")).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(bench.store().awaitReschedule(bench.shard(), "b", Due.after(Duration.ofMillis(9))))
                .isEqualTo(RescheduleOutcome.RESCHEDULED);
        assertThat(bench.state())
                .hasToString(new ShardState()
                        .crashed("b", T0 + 9, 1, "/2/0", "E: no")
                        .put("deliveries", "b", "- 1/2/0 " + (T0 + 9) + " E: no")
                        .toString());
    }
}
