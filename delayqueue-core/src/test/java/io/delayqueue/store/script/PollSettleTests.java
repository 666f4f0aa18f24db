package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.stored;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Row;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.store.bench.Told;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The state table of {@code poll.lua} where it settles. */
class PollSettleTests extends ScriptTable {

    private static final long END = T0 + 30_000;
    private static final String REQUESTED = "E: no\nat x\nat y";

    static Stream<Row> table() {
        return Stream.of(held(), many(), notHeld(), forged(), late(), leftovers())
                .flatMap(rows -> rows);
    }

    private static Stream<Row> held() {
        ShardState leased = new ShardState().leased("a", T0 - 5, "w1-1", END, 2, "E: old");
        ShardState lastAttempt = new ShardState().leased("a", T0 - 5, "w1-1", END, 3, "E: old");
        return Stream.of(
                new Row(
                        "acknowledge: gone",
                        leased,
                        settles(poll -> poll.acknowledge("a", "w1-1")),
                        "due never, lease never",
                        new ShardState()),
                new Row(
                        "retry: scheduled after the delay, counted, with the failure",
                        leased,
                        settles(poll -> poll.retry("a", "w1-1", 700)),
                        "due 700, lease never",
                        new ShardState().retrying("a", T0 + 700, 2, "E: no").put("messages", "a", stored("a", T0 - 5))),
                new Row(
                        "retry if an attempt is left: scheduled after the delay",
                        leased,
                        settles(poll -> poll.retryIfAttemptsLeft("a", "w1-1", 700)),
                        "due 700, lease never",
                        new ShardState().retrying("a", T0 + 700, 2, "E: no").put("messages", "a", stored("a", T0 - 5))),
                new Row(
                        "retry if an attempt is left, after the last one: a dead letter",
                        lastAttempt,
                        settles(poll -> poll.retryIfAttemptsLeft("a", "w1-1", 700)),
                        "deadLettered a:ATTEMPTS_SPENT, due never, lease never",
                        new ShardState().deadLetter("a", "w1-1", T0, "ATTEMPTS_SPENT", 3, T0 - 5, "E: no")),
                new Row(
                        "retry after the last attempt: scheduled, because the caller checked the attempts",
                        lastAttempt,
                        settles(poll -> poll.retry("a", "w1-1", 700)),
                        "due 700, lease never",
                        new ShardState().retrying("a", T0 + 700, 3, "E: no").put("messages", "a", stored("a", T0 - 5))),
                new Row(
                        "release: scheduled at the old due time, not counted, the last failure kept",
                        leased,
                        settles(poll -> poll.release("a", "w1-1")),
                        "due -5, lease never",
                        new ShardState().retrying("a", T0 - 5, 1, "E: old")),
                new Row(
                        "release of the first attempt leaves no trace",
                        new ShardState().leased("a", T0 - 5, "w1-1", END),
                        settles(poll -> poll.release("a", "w1-1")),
                        "due -5, lease never",
                        new ShardState().scheduled("a", T0 - 5)),
                new Row(
                        "release for a time: scheduled after the delay, not counted, the last failure kept",
                        leased,
                        settles(poll -> poll.release("a", "w1-1", 700)),
                        "due 700, lease never",
                        new ShardState()
                                .retrying("a", T0 + 700, 1, "E: old")
                                .put("messages", "a", stored("a", T0 - 5))),
                new Row(
                        "release of the first attempt for a time: the delivery has the new due time",
                        new ShardState().leased("a", T0 - 5, "w1-1", END),
                        settles(poll -> poll.release("a", "w1-1", 700)),
                        "due 700, lease never",
                        new ShardState().crashed("a", T0 + 700, 0, "", "").put("messages", "a", stored("a", T0 - 5))),
                new Row(
                        "release of a first attempt that was released for a time: the new due time is kept",
                        new ShardState()
                                .leased("a", T0 - 5, "w1-1", END, 1, "", "")
                                .put("messages", "a", stored("a", T0 - 9)),
                        settles(poll -> poll.release("a", "w1-1")),
                        "due -5, lease never",
                        new ShardState().crashed("a", T0 - 5, 0, "", "").put("messages", "a", stored("a", T0 - 9))),
                new Row(
                        "postpone: scheduled after the delay, not counted, the last failure kept",
                        leased,
                        settles(poll -> poll.postpone("a", "w1-1", 700, 1)),
                        "due 700, lease never",
                        new ShardState()
                                .crashed("a", T0 + 700, 1, "p1", "E: old")
                                .put("messages", "a", stored("a", T0 - 5))),
                new Row(
                        "postpone, as often as permitted",
                        new ShardState().leased("a", T0 - 5, "w1-1", END, 1, "p2+", ""),
                        settles(poll -> poll.postpone("a", "w1-1", 0, 3)),
                        "due 0, lease never",
                        new ShardState().crashed("a", T0, 0, "p3", "").put("messages", "a", stored("a", T0 - 5))),
                new Row(
                        "postpone once more: a dead letter",
                        new ShardState().leased("a", T0 - 5, "w1-1", END, 1, "p3", "E: old"),
                        settles(poll -> poll.postpone("a", "w1-1", 700, 3)),
                        "deadLettered a:POSTPONEMENTS_SPENT, due never, lease never",
                        new ShardState()
                                .deadLetter(
                                        "a",
                                        "w1-1",
                                        T0,
                                        "POSTPONEMENTS_SPENT",
                                        1,
                                        T0 - 5,
                                        "postpone: The message was already postponed 3 times")),
                new Row(
                        "the number of postponements outlasts a retry, a release and the next claim",
                        new ShardState()
                                .leased("a", T0 - 5, "w1-1", END, 2, "p3", "E: old")
                                .leased("b", T0 - 5, "w1-1", END, 2, "p4", "")
                                .crashed("c", T0 - 5, 0, "p5", ""),
                        settles(poll ->
                                poll.retry("a", "w1-1", 7).release("b", "w1-1").claim(1)),
                        "claimed c#1@-5, due -5, lease 30000",
                        new ShardState()
                                .crashed("a", T0 + 7, 2, "p3", "E: no")
                                .put("messages", "a", stored("a", T0 - 5))
                                .crashed("b", T0 - 5, 1, "p4", "")
                                .leased("c", T0 - 5, "w1-3", END, 1, "p5", "")),
                new Row(
                        "dead-letter: a dead letter with cause and failure",
                        leased,
                        settles(poll -> poll.deadLetter("a", "w1-1", DeadLetterCause.ATTEMPTS_SPENT)),
                        "deadLettered a:ATTEMPTS_SPENT, due never, lease never",
                        new ShardState().deadLetter("a", "w1-1", T0, "ATTEMPTS_SPENT", 2, T0 - 5, REQUESTED)));
    }

    private static Stream<Row> many() {
        return Stream.of(new Row(
                "many at once, each its own way",
                new ShardState()
                        .leased("a", T0, "w1-1", END)
                        .leased("b", T0, "w1-1", END)
                        .leased("c", T0, "w1-2", END)
                        .leased("d", T0, "w1-2", END)
                        .leased("e", T0, "w1-2", END)
                        .scheduled("f", T0),
                settles(poll -> poll.retry("c", "w1-2", 9)
                        .acknowledge("a", "w1-1")
                        .deadLetter("d", "w1-2", DeadLetterCause.REQUESTED)
                        .acknowledge("b", "w1-1")
                        .release("e", "w1-2")
                        .claim(10)),
                "claimed f#1@0, deadLettered d:REQUESTED, due 0, lease 30000",
                new ShardState()
                        .retrying("c", T0 + 9, 1, "E: no")
                        .put("messages", "c", stored("c", T0))
                        .deadLetter("d", "w1-2", T0, "REQUESTED", 1, T0, REQUESTED)
                        .scheduled("e", T0)
                        .leased("f", T0, "w1-3", END)));
    }

    private static Stream<Row> notHeld() {
        return Stream.of(
                        new ShardState(),
                        new ShardState().scheduled("a", T0 + 5),
                        new ShardState().retrying("a", T0 + 5, 1, "E: no"),
                        new ShardState().leased("a", T0, "w2-1", END),
                        new ShardState().leased("a", T0, "w1-10", END),
                        new ShardState().deadLetter("a", "w1-1", T0, "REQUESTED", 1, T0, ""))
                .flatMap(state -> Stream.of(
                        gone(state, "acknowledge", poll -> poll.acknowledge("a", "w1-1")),
                        gone(state, "retry", poll -> poll.retry("a", "w1-1", 700)),
                        gone(state, "release", poll -> poll.release("a", "w1-1")),
                        gone(state, "postpone", poll -> poll.postpone("a", "w1-1", 700, 1)),
                        gone(state, "deadLetter", poll -> poll.deadLetter("a", "w1-1", DeadLetterCause.REQUESTED))));
    }

    private static Row gone(ShardState state, String verb, UnaryOperator<Polls> settle) {
        String where = state.toString().lines().findFirst().orElse("absent").replaceAll(" = .*", "");
        long due = state.get("schedule").isEmpty() ? 0 : 5;
        String next = (due == 0 ? "due never" : "due 5") + ", lease "
                + (state.get("leases").isEmpty() ? "never" : "30000");
        return Row.unchanged(verb + " without the token is gone: " + where, state, settles(settle), "gone a, " + next);
    }

    private static Stream<Row> forged() {
        List<String> ids = List.of("a", "b", "c", "d", "e", "f");
        ShardState retrying = new ShardState();
        ids.forEach(id -> retrying.retrying(id, T0 + 5, 1, "E: no"));
        ShardState leased = new ShardState();
        ids.forEach(id -> leased.leased(id, T0, "w1-1", END));
        return Stream.of("-", "", " ", "- 1", "- 1 " + (T0 + 5), "w1-1 1", "w1-1 1 " + T0, "w1-", "-1", ".*", "%S+")
                .flatMap(token -> Stream.of(
                        forged("retrying", retrying, token, "due 5, lease never"),
                        forged("leased", leased, token, "due never, lease 30000")));
    }

    private static Row forged(String state, ShardState before, String token, String next) {
        return Row.unchanged(
                "every settlement of a message that is " + state + " with the token '" + token + "' is rejected",
                before,
                settles(poll -> poll.acknowledge("a", token)
                        .retry("b", token, 700)
                        .release("c", token)
                        .deadLetter("d", token, DeadLetterCause.REQUESTED)
                        .postpone("e", token, 700, 1)
                        .renew("f", token, 9000)),
                "gone a b c d e, lost f, " + next);
    }

    private static Stream<Row> late() {
        ShardState over = new ShardState().leased("a", T0 - 5, "w1-1", T0 - 1);
        return Stream.of(
                new Row(
                        "acknowledge after the lease's end, before reclaim: accepted",
                        over,
                        settles(poll -> poll.acknowledge("a", "w1-1")),
                        "due never, lease never",
                        new ShardState()),
                new Row(
                        "retry after the lease's end, before reclaim: accepted",
                        over,
                        settles(poll -> poll.retry("a", "w1-1", 7)),
                        "due 7, lease never",
                        new ShardState().retrying("a", T0 + 7, 1, "E: no").put("messages", "a", stored("a", T0 - 5))),
                new Row(
                        "renewal after the lease's end, before reclaim: accepted",
                        over,
                        settles(poll -> poll.renew("a", "w1-1", 9000)),
                        "due never, lease 9000",
                        new ShardState().leased("a", T0 - 5, "w1-1", T0 + 9000)),
                new Row(
                        "renewals: those with the token, from now, up or down",
                        new ShardState()
                                .leased("a", T0, "w1-1", END)
                                .leased("b", T0, "w2-1", END)
                                .leased("c", T0, "w1-1", END),
                        settles(poll -> poll.renew("a", "w1-1", 90_000)
                                .renew("b", "w1-1", 1)
                                .renew("c", "w1-1", 5000)
                                .renew("d", "w1-1", 1)),
                        "lost b d, due never, lease 5000",
                        new ShardState()
                                .leased("a", T0, "w1-1", T0 + 90_000)
                                .leased("b", T0, "w2-1", END)
                                .leased("c", T0, "w1-1", T0 + 5000)));
    }

    private static Stream<Row> leftovers() {
        return Stream.of(
                new Row(
                        "a token without a message is no dead letter",
                        new ShardState().put("leases", "a", END).put("deliveries", "a", "w1-1 1 " + T0 + " "),
                        settles(poll -> poll.deadLetter("a", "w1-1", DeadLetterCause.REQUESTED)),
                        "due never, lease never",
                        new ShardState()),
                new Row(
                        "a token without a message is not scheduled",
                        new ShardState().put("leases", "a", END).put("deliveries", "a", "w1-1 1 " + T0 + " "),
                        settles(poll -> poll.retry("a", "w1-1", 5).retry("a", "w1-1", 5)),
                        "due never, lease never",
                        new ShardState()),
                new Row(
                        "scheduled and leased: acknowledge leaves the place to the next claim",
                        new ShardState().leased("a", T0, "w1-1", END).put("schedule", "a", T0 + 9),
                        settles(poll -> poll.acknowledge("a", "w1-1")),
                        "due 9, lease never",
                        new ShardState().put("schedule", "a", T0 + 9)));
    }

    private static Function<StoreBench, Object> settles(UnaryOperator<Polls> settle) {
        return bench -> Told.of(bench.poll(settle.apply(Polls.by("w1", 3))));
    }

    @Test
    void anOldTokenIsRejectedAfterTheIdWasSentAgain() {
        send("a", OnDuplicate.REJECT, "n1");
        bench.poll(Polls.by("old", 1).claim(1));
        bench.clock(T0 + 31_000);
        assertThat(Told.of(bench.poll(Polls.by("w1", 1)))).isEqualTo("due never, lease 46000");
        bench.clock(T0 + 36_000);
        assertThat(Told.of(bench.poll(Polls.by("w1", 2)))).isEqualTo("due never, lease 46000");
        bench.clock(T0 + 41_000);
        assertThat(Told.of(bench.poll(Polls.by("w1", 3)))).isEqualTo("due never, lease 46000");
        bench.clock(T0 + 46_000);
        assertThat(Told.of(bench.poll(Polls.by("w1", 4)))).startsWith("reclaimed a,");
        bench.poll(Polls.by("w1", 5).claim(1));
        bench.poll(Polls.by("w1", 6).acknowledge("a", "w1-5"));
        send("a", OnDuplicate.REJECT, "n2");
        bench.poll(Polls.by("w1", 7).claim(1));

        ShardState before = bench.state();
        assertThat(Told.of(bench.poll(Polls.by("old", 2).acknowledge("a", "old-1"))))
                .startsWith("gone a,");
        assertThat(bench.state()).hasToString(before.toString());
    }

    @Test
    void aSettlementAfterCancelIsRejected() {
        send("a", OnDuplicate.REJECT, "n1");
        bench.poll(Polls.by("w1", 1).claim(1));
        bench.store().awaitCancel(bench.shard(), "a");
        assertThat(Told.of(bench.poll(Polls.by("w1", 2).retry("a", "w1-1", 0)))).startsWith("gone a,");
        assertThat(bench.state()).hasToString("");
    }

    @Test
    void aSettlementAfterReplaceIsRejected() {
        send("a", OnDuplicate.REJECT, "n1");
        bench.poll(Polls.by("w1", 1).claim(1));
        send("a", OnDuplicate.REPLACE, "n2");
        ShardState before = bench.state();
        assertThat(Told.of(bench.poll(Polls.by("w1", 2).acknowledge("a", "w1-1"))))
                .startsWith("gone a,");
        assertThat(bench.state()).hasToString(before.toString());
    }

    @Test
    void aSettlementWithTheSameTokenAfterAReleaseIsRejected() {
        send("a", OnDuplicate.REJECT, "n1");
        bench.poll(Polls.by("w1", 1).claim(1));
        bench.poll(Polls.by("w1", 2).release("a", "w1-1"));
        assertThat(Told.of(bench.poll(Polls.by("w1", 3).claim(1).acknowledge("a", "w1-1"))))
                .isEqualTo("claimed a#1@0, gone a, due never, lease 30000");
    }

    private static void send(String id, OnDuplicate mode, String nonce) {
        bench.store().awaitSend(bench.shard(), List.of(Sends.message(id, Due.NOW, mode, nonce)));
    }
}
