package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.failed;
import static io.delayqueue.store.bench.ShardState.message;
import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.redis.Await;
import io.delayqueue.store.LeaseTokens;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.VersionedCancel;
import io.delayqueue.store.bench.PollReplyText;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Row;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The state table of messages after running ones and of debounced ones, in all scripts. */
class SuccessorTests extends ScriptTable {

    private static final long END = T0 + 30_000;

    static Stream<Row> table() {
        return Stream.of(afterRunning(), debounced(), ends(), conditionalCancels(), ended(), stays())
                .flatMap(rows -> rows);
    }

    private static Stream<Row> afterRunning() {
        return Stream.of(
                new Row(
                        "after running: a message that was never handled is replaced",
                        state("scheduled scheduled 9, crashed released 9 0")
                                .put("schedule", "taken", T0 + 9 + 4_000_000_000_000_000L)
                                .put("messages", "taken", ShardState.stored("taken", T0 + 9))
                                .put("deliveries", "taken", ">m-1 =5 other - 2 9 E: no"),
                        SendScriptTests.sends(after("absent"), after("scheduled"), after("released"), after("taken")),
                        "ACCEPTED 1000, REPLACED 1000, REPLACED 1000, REPLACED 1000",
                        stored("absent", stored("scheduled", stored("released", stored("taken", new ShardState()))))),
                new Row(
                        "one that is being handled, or waits for its next attempt, stays and gets one successor",
                        state("leased a -7 w1-1 30000, leased b -7 w1-1+ 30000, successor b 5, "
                                + "leased c -7 w1-1 -1 2 p1/1/0 E: no, retrying d 9 2 E: no, "
                                + "crashed e 9 0 /1/0, crashed f 9 0, successor f 5"),
                        SendScriptTests.sends(after("a"), after("b"), after("c"), after("d"), after("e"), after("f")),
                        "ACCEPTED 1000, REPLACED 1000, ACCEPTED 1000, ACCEPTED 1000, ACCEPTED 1000, REPLACED 1000",
                        state("leased a -7 w1-1 30000")
                                .successor("a", successor("a"))
                                .leased("b", T0 - 7, "w1-1+", END)
                                .successor("b", successor("b"))
                                .leased("c", T0 - 7, "w1-1", T0 - 1, 2, "p1/1/0", "E: no")
                                .successor("c", successor("c"))
                                .retrying("d", T0 + 9, 2, "E: no")
                                .successor("d", successor("d"))
                                .crashed("e", T0 + 9, 0, "/1/0", "")
                                .successor("e", successor("e"))
                                .crashed("f", T0 + 9, 0, "", "")
                                .successor("f", successor("f"))),
                Row.unchanged(
                        "a repeat is recognised in the message and in its successor",
                        state("leased a -7 w1-1 30000")
                                .put("messages", "a", message("m", T0, T0 - 7, "\na"))
                                .leased("b", T0 - 7, "w1-1", END)
                                .successor("b", message("m", T0, T0 + 5, "\nb")),
                        SendScriptTests.sends(after("a"), after("b")),
                        "ACCEPTED -7 again, ACCEPTED 5 again"),
                Row.unchanged(
                        "other duplicates leave the successor",
                        state("leased a -7 w1-1 30000, successor a 5"),
                        SendScriptTests.sends(
                                Sends.message("a", new Due(1000, true), OnDuplicate.REJECT, "m"),
                                Sends.message("a", new Due(1000, true), OnDuplicate.KEEP, "m")),
                        "DUPLICATE 1000, KEPT 1000"),
                new Row(
                        "a replacement removes both",
                        state("leased a -7 w1-1 30000, successor a 5"),
                        SendScriptTests.sends(Sends.message("a", new Due(1000, true), OnDuplicate.REPLACE, "m")),
                        "REPLACED 1000",
                        stored("a", new ShardState())),
                Row.unchanged(
                        "a greater version is kept, in the schedule and as a successor",
                        state("schedule a 9")
                                .put("messages", "a", message("n1700000000000006", T0, T0 + 9, "\na"))
                                .leased("b", T0 - 7, "w1-1", END)
                                .successor("b", message("n1700000000000006", T0, T0 + 9, "\nb")),
                        SendScriptTests.sends(version("a"), version("b")),
                        "KEPT 1000, KEPT 1000"),
                Row.unchanged(
                        "a smaller version does not follow a greater one",
                        state("leased a -7 w1-1 30000")
                                .put("messages", "a", message("n1700000000000006", T0, T0 - 7, "\na"))
                                .retrying("b", T0 + 9, 2, "E: no")
                                .put("messages", "b", message("n1700000000000006", T0, T0 + 9, "\nb")),
                        SendScriptTests.sends(version("a"), version("b")),
                        "KEPT 1000, KEPT 1000"),
                Row.unchanged(
                        "a replacement with a smaller version than one of both leaves both",
                        state("leased a -7 w1-1 30000")
                                .put("messages", "a", message("n1700000000000004", T0, T0 - 7, "\na"))
                                .successor("a", message("n1700000000000006", T0, T0 + 9, "\na"))
                                .leased("b", T0 - 7, "w1-1", END)
                                .put("messages", "b", message("n1700000000000006", T0, T0 - 7, "\nb"))
                                .successor("b", T0 + 5),
                        SendScriptTests.sends(replaces("a"), replaces("b")),
                        "KEPT 1000, KEPT 1000"),
                new Row(
                        "a successor needs no room",
                        state("leased a -7 w1-1 30000"),
                        bench -> {
                            bench.limit(1);
                            return SendScriptTests.sends(after("a"), after("a")).apply(bench);
                        },
                        "ACCEPTED 1000, ACCEPTED 1000 again",
                        state("leased a -7 w1-1 30000").successor("a", successor("a"))));
    }

    private static Stream<Row> debounced() {
        String begun = "+old d=1500/" + (T0 - 800);
        return Stream.of(
                new Row(
                        "debounced: the first send, a further one, and one at the end of the longest time",
                        state("schedule further 5")
                                .put("messages", "further", message("+old d=1500/" + (T0 - 100), T0, T0 + 5, "\nx"))
                                .put("schedule", "last", T0 + 5)
                                .put("messages", "last", message(begun, T0, T0 + 5, "\nx"))
                                .put("schedule", "late", T0 - 5)
                                .put("messages", "late", message("+old d=1500/" + (T0 - 2000), T0, T0 - 5, "\nx"))
                                .scheduled("not debounced", T0 + 5),
                        SendScriptTests.sends(
                                debounce("first"),
                                debounce("further"),
                                debounce("last"),
                                debounce("late"),
                                debounce("not debounced")),
                        "ACCEPTED 1000, REPLACED 1000, REPLACED 700, REPLACED -500, REPLACED 1000",
                        debounced("first", T0, T0 + 1000)
                                .put("schedule", "further", T0 + 1000)
                                .put("messages", "further", series(T0 - 100, T0 + 1000))
                                .put("schedule", "last", T0 + 700)
                                .put("messages", "last", series(T0 - 800, T0 + 700))
                                .put("schedule", "late", T0 - 500)
                                .put("messages", "late", series(T0 - 2000, T0 - 500))
                                .put("schedule", "not debounced", T0 + 1000)
                                .put("messages", "not debounced", series(T0, T0 + 1000))),
                new Row(
                        "one that is being handled gets a successor, from whose first send the times count",
                        state("leased a -7 w1-1 30000")
                                .put("messages", "a", message(begun, T0, T0 - 7, "\nx"))
                                .leased("b", T0 - 7, "w1-1", END)
                                .successor("b", message(begun, T0, T0 + 5, "\nx")),
                        SendScriptTests.sends(debounce("a"), debounce("b")),
                        "ACCEPTED 1000, REPLACED 700",
                        state("leased a -7 w1-1 30000")
                                .put("messages", "a", message(begun, T0, T0 - 7, "\nx"))
                                .successor("a", series(T0, T0 + 1000))
                                .leased("b", T0 - 7, "w1-1", END)
                                .successor("b", series(T0 - 800, T0 + 700))),
                new Row(
                        "one that waits for its next attempt is replaced, and the times count anew, or from its successor's",
                        state("retrying a 9 2 E: no")
                                .put("messages", "a", message(begun, T0, T0 - 7, "\nx"))
                                .retrying("b", T0 + 9, 2, "E: no")
                                .successor("b", message(begun, T0, T0 + 5, "\nx")),
                        SendScriptTests.sends(debounce("a"), debounce("b")),
                        "REPLACED 1000, REPLACED 700",
                        debounced("a", T0, T0 + 1000)
                                .put("schedule", "b", T0 + 700)
                                .put("messages", "b", series(T0 - 800, T0 + 700))),
                Row.unchanged(
                        "a repeat moves nothing",
                        debounced("a", T0 - 900, T0 + 100)
                                .leased("b", T0 - 7, "w1-1", END)
                                .successor("b", series(T0 - 900, T0 + 100)),
                        SendScriptTests.sends(debounce("a"), debounce("b")),
                        "ACCEPTED 100 again, ACCEPTED 100 again"));
    }

    private static Stream<Row> ends() {
        return Stream.of(
                new Row(
                        "acknowledged, with a token or a receipt: the successor is due at its own time, or now",
                        state("leased a -7 w1-1 30000, successor a 5, leased b -7 w1-1+ 30000, "
                                + "successor b -5, leased c -7 w1-2 30000 3 E: no, successor c -5, "
                                + "leased d -7 w1-1 30000"),
                        settles(poll -> poll.acknowledge("a", "w1-1")
                                .acknowledge("b", "w1-1")
                                .acknowledge("c", LeaseTokens.receipt("w1-2", "c"))
                                .acknowledge("d", "w1-1")),
                        "due 0, lease never",
                        next("a", T0 + 5)
                                .put("schedule", "b", T0)
                                .put("messages", "b", message("s", T0, T0 - 5, "\nnext"))
                                .put("deliveries", "b", "- 0 " + T0 + " ")
                                .put("schedule", "c", T0)
                                .put("messages", "c", message("s", T0, T0 - 5, "\nnext"))
                                .put("deliveries", "c", "- 0 " + T0 + " ")),
                acknowledged("w1-1", "w1-1"),
                acknowledged("w1-1+", "w1-1"),
                acknowledged("w1-1", LeaseTokens.receipt("w1-1", "a")),
                acknowledged("w1-1+", LeaseTokens.receipt("w1-1", "a")),
                new Row(
                        "dead-lettered by the handler, at its last crash and after its expiry",
                        state("leased a -7 w1-1 30000 2 E: old, successor a 5, "
                                        + "leased b -7 w0-1 -1 1 /4/2!, successor b 5, retrying c -7 1 E: old")
                                .put("messages", "c", message("+n e=" + (T0 - 1), T0, T0 - 7, "\nc"))
                                .successor("c", T0 + 5),
                        settles(poll -> poll.claim(5).deadLetter("a", "w1-1", DeadLetterCause.ATTEMPTS_SPENT)),
                        "deadLettered a:ATTEMPTS_SPENT c:EXPIRED b:CRASHED, due 5, lease never",
                        next("a", T0 + 5)
                                .put("schedule", "b", T0 + 5)
                                .put("messages", "b", message("s", T0, T0 + 5, "\nnext"))
                                .put("schedule", "c", T0 + 5)
                                .put("messages", "c", message("s", T0, T0 + 5, "\nnext"))
                                .deadLetter(
                                        "a",
                                        "w1-1",
                                        T0,
                                        "ATTEMPTS_SPENT",
                                        2,
                                        T0 - 7,
                                        failed("E: no\nat x\nat y", failed(1, "E: old")))
                                .deadLetter("b", "w0-1", T0, "CRASHED", 1, T0 - 7, "")
                                .deadLetter("c", "n." + T0, T0, "EXPIRED", 1, T0 - 7, "E: old")
                                .put(
                                        "deadLetters",
                                        "c@n." + T0,
                                        ShardState.record(
                                                T0,
                                                "EXPIRED",
                                                1,
                                                T0 - 7,
                                                failed("E: old", failed(1, "E: old")),
                                                message("+n e=" + (T0 - 1), T0, T0 - 7, "\nc")))),
                new Row(
                        "a cancel removes both",
                        state("leased a -7 w1-1 30000, successor a 5"),
                        bench -> bench.cancel("a"),
                        CancelOutcome.CANCELLED_WHILE_HANDLED,
                        new ShardState()));
    }

    private static Stream<Row> conditionalCancels() {
        ShardState succeeded = state("leased a -7 w1-1 30000")
                .put("messages", "a", message("n1700000000000004", T0 - 7, T0 - 7, "\na"))
                .successor("a", message("n1700000000000006", T0 - 3, T0 + 5, "\nnext"));
        return Stream.of(
                Row.unchanged(
                        "a cancel up to a smaller version than that of the successor keeps both",
                        succeeded,
                        cancelsUpTo(1700000000000005L, false),
                        new VersionedCancel(CancelOutcome.NOT_FOUND, true, 1700000000000006L)),
                Row.unchanged(
                        "so does a read of the version",
                        succeeded,
                        bench -> Await.result(bench.store().version(bench.shard(), "a")),
                        new VersionedCancel(CancelOutcome.NOT_FOUND, true, 1700000000000006L)),
                Row.unchanged(
                        "and a cancel of what was sent before the successor",
                        succeeded,
                        bench -> Await.result(bench.store().cancel(bench.shard(), "a", Instant.ofEpochMilli(T0 - 5))),
                        CancelOutcome.NOT_FOUND),
                new Row(
                        "a cancel up to its version removes both",
                        succeeded,
                        cancelsUpTo(1700000000000006L, false),
                        new VersionedCancel(CancelOutcome.CANCELLED_WHILE_HANDLED, false, 1700000000000006L),
                        new ShardState()),
                new Row(
                        "a client that finishes the message lets the successor take over",
                        succeeded,
                        cancelsUpTo(1700000000000005L, true),
                        new VersionedCancel(CancelOutcome.CANCELLED_WHILE_HANDLED, false, 1700000000000004L),
                        state("schedule a 5")
                                .put("messages", "a", message("n1700000000000006", T0 - 3, T0 + 5, "\nnext"))),
                Row.unchanged(
                        "and does not finish one that has taken over",
                        state("crashed a 0 0"),
                        cancelsUpTo(1700000000000005L, true),
                        new VersionedCancel(CancelOutcome.NOT_FOUND, true, VersionedCancel.NO_VERSION)));
    }

    /** The script that ended the message stopped before its successor had taken over. */
    private static Stream<Row> ended() {
        return Stream.of(
                Row.unchanged(
                        "a replay does not take the ended message for the one that it stored",
                        new ShardState()
                                .leased("a", T0, "", END)
                                .and("successor a 5, deadLetter a w0-1 0 REQUESTED 1 0 E: no"),
                        bench -> Await.result(bench.store().replay(bench.shard(), List.of("a@w0-1"), Due.NOW)),
                        List.of(ReplayOutcome.ID_LIVE)),
                Row.unchanged(
                        "a reschedule waits until the successor has taken over, or the claim is complete",
                        next("a", T0 + 5)
                                .put("leases", "a", END)
                                .put("deliveries", "a", "")
                                .successor("a", T0 + 5)
                                .leased("b", T0, "w1-1", END)
                                .put("schedule", "b", T0),
                        bench -> Stream.of("a", "b")
                                .map(id -> bench.reschedule(id, new Due(70, true)))
                                .toList(),
                        List.of(RescheduleOutcome.BEING_HANDLED, RescheduleOutcome.BEING_HANDLED)));
    }

    private static Function<StoreBench, Object> cancelsUpTo(long version, boolean claimed) {
        return bench -> Await.result(bench.store().cancelUpTo(bench.shard(), "a", version, claimed, Durability.NONE));
    }

    /** Alone it would take the short way of the script. */
    private static Row acknowledged(String delivery, String token) {
        return new Row(
                "acknowledged alone: " + delivery + " with " + token,
                new ShardState().leased("a", T0 - 7, delivery, END).successor("a", T0 + 5),
                settles(poll -> poll.acknowledge("a", token)),
                "due 5, lease never",
                next("a", T0 + 5));
    }

    private static Stream<Row> stays() {
        return Stream.of(
                new Row(
                        "a retry, a postponement, a release and a crash keep the successor",
                        state("leased a -7 w1-1 30000, successor a -5, leased b -7 w1-1 30000, "
                                + "successor b -5, leased c -7 w1-1 30000, successor c -5, "
                                + "leased d -7 w0-1 -1, successor d -5, leased e -7 w0-1+ -1, "
                                + "successor e -5, leased f -7 w1-1 30000, successor f -5"),
                        settles(poll -> poll.retry("a", "w1-1", 700)
                                .postpone("b", "w1-1", 700, 3)
                                .release("c", "w1-1")
                                .renew("f", "w1-1", 90_000)),
                        "reclaimed d e, due -7, lease 90000",
                        state("retrying a 700 1 E: no")
                                .put("messages", "a", ShardState.stored("a", T0 - 7))
                                .and("successor a -5, crashed b 700 0 p1")
                                .put("messages", "b", ShardState.stored("b", T0 - 7))
                                .and("successor b -5, crashed c -7 0, successor c -5, crashed d 0 0 /1/0")
                                .put("messages", "d", ShardState.stored("d", T0 - 7))
                                .and("successor d -5, retrying e 0 1")
                                .put("messages", "e", ShardState.stored("e", T0 - 7))
                                .and("successor e -5, leased f -7 w1-1 90000, successor f -5")),
                new Row(
                        "the next attempt keeps it and does not see it",
                        state("retrying a -3 2 E: no, successor a -5, crashed b -2 0, successor b -5"),
                        settles(poll -> poll.claim(5)),
                        "claimed a#3@-3(E: no) b#1@-2, due never, lease 30000",
                        state("leased a -3 w1-3 30000 3 E: no, successor a -5, "
                                + "leased b -2 w1-3 30000 1, successor b -5")),
                new Row(
                        "a claim counts successors, too, against its bound of bytes",
                        state("retrying a -3 2 E: no")
                                .successor("a", "x".repeat(1500))
                                .retrying("b", T0 - 2, 2, "E: no"),
                        bench -> {
                            bench.redis().call("HSET", bench.key("meta"), "largest", 2048);
                            return settles(poll -> poll.claim(5).bytes(1500)).apply(bench);
                        },
                        "claimed a#3@-3(E: no), due -2, lease 30000",
                        state("leased a -3 w1-3 30000 3 E: no")
                                .successor("a", "x".repeat(1500))
                                .retrying("b", T0 - 2, 2, "E: no")),
                Row.unchanged(
                        "a late settlement with an old token changes nothing",
                        state("leased a -7 w1-2 30000, successor a -5"),
                        settles(poll -> poll.acknowledge("a", "w1-1").renew("a", "w1-1", 9)),
                        "gone a, lost a, due never, lease 30000"),
                new Row(
                        "a failure with a zero byte is stored without it",
                        state("leased a -7 w1-1 30000"),
                        bench -> PollReplyText.of(bench.poll(Polls.by("w1", 3).retry("a", "w1-1", 7, "a\0b"))),
                        "due 7, lease never",
                        state("retrying a 7 1 E: ab").put("messages", "a", ShardState.stored("a", T0 - 7))),
                new Row(
                        "a reschedule keeps it",
                        state("retrying a 7 1 E: no, successor a -5"),
                        bench -> bench.reschedule("a", new Due(70, true)),
                        RescheduleOutcome.RESCHEDULED,
                        state("retrying a 70 1 E: no, successor a -5")));
    }

    @Test
    void theMessageIsShownWithItsSuccessor() {
        bench.given(state("leased a -7 w1-1 30000 2 E: no, successor a 5"));

        Optional<MessageSnapshot> found = Await.result(bench.store().find(bench.shard(), "a"));

        MessageSnapshot message = found.orElseThrow();
        assertThat(message.attempts()).isEqualTo(2);
        assertThat(message.lastFailure()).isEqualTo("E: no");
        assertThat(message.envelope().payload()).asString().isEqualTo("a");
        assertThat(message.successor()).satisfies(successor -> {
            assertThat(successor.state()).isEqualTo(MessageState.SCHEDULED);
            assertThat(successor.dueAt()).isEqualTo(Instant.ofEpochMilli(T0 + 5));
            assertThat(successor.envelope().payload()).asString().isEqualTo("next");
            assertThat(successor.successor()).isNull();
        });
    }

    private static OutgoingMessage after(String id) {
        return Sends.message(id, new Due(1000, true), OnDuplicate.AFTER_RUNNING, "m");
    }

    private static OutgoingMessage version(String id) {
        return Sends.message(id, new Due(1000, true), OnDuplicate.AFTER_RUNNING, "n1700000000000005");
    }

    private static OutgoingMessage replaces(String id) {
        return Sends.message(id, new Due(1000, true), OnDuplicate.REPLACE, "n1700000000000005");
    }

    private static OutgoingMessage debounce(String id) {
        Due due = Due.debounced(Duration.ofMillis(1000), Duration.ofMillis(1500));
        return OutgoingMessage.of(
                id, due, OnDuplicate.REPLACE, "m", MessageLimits.NONE, null, Map.of("h", "v"), new byte[] {'x'});
    }

    private static ShardState stored(String id, ShardState to) {
        return to.put("schedule", id, T0 + 1000).put("messages", id, successor(id));
    }

    private static String successor(String id) {
        return message("m", T0, T0 + 1000, "\n" + id);
    }

    private static String series(long first, long due) {
        return message("+m d=1500/" + first, T0, due, "h: v\n\nx");
    }

    private static ShardState debounced(String id, long first, long due) {
        return new ShardState().put("schedule", id, due).put("messages", id, series(first, due));
    }

    private static ShardState next(String id, long due) {
        return new ShardState().put("schedule", id, due).put("messages", id, message("s", T0, due, "\nnext"));
    }

    private static Function<StoreBench, Object> settles(UnaryOperator<Polls> settle) {
        return bench -> PollReplyText.of(bench.poll(settle.apply(Polls.by("w1", 3))));
    }
}
