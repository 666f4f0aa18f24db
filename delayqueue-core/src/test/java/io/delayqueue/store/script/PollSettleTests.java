package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.failed;
import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.ShardState.stored;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.store.bench.PollReplyText;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Row;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The state table of {@code poll.lua} where it settles. */
class PollSettleTests extends ScriptTable {

    private static final long END = T0 + 30_000;
    private static final String TOO_OFTEN = "postpone: The message was already postponed 3 times";
    private static final String LONG = "x".repeat(950);

    private static final String REQUESTED = "E: no\nat x\nat y";

    static Stream<Row> table() {
        return Stream.of(held(), notHeld(), leftovers()).flatMap(rows -> rows);
    }

    private static Stream<Row> held() {
        ShardState held = state("leased last -5 w1-1 30000 3 E: old, "
                        + "leased 'last if left' -5 w1-1 30000 3 E: old, "
                        + "leased 'release first' -5 w1-1 30000, "
                        + "leased 'release first for' -5 w1-1 30000")
                .leased("release moved", T0 - 5, "w1-1", END, 1, "", "")
                .put("messages", "release moved", stored("release moved", T0 - 9))
                .leased("postponed", T0 - 5, "w1-1", END, 1, "p2+", "")
                .and("leased 'postponed too often' -5 w1-1 30000 1 p3 E: old, "
                        + "leased 'postponed, retry' -5 w1-1 30000 2 p3 E: old, "
                        + "leased 'postponed, release' -5 w1-1 30000 2 p4, "
                        + "crashed 'postponed, claim' -6 0 p5");
        Stream.of("acknowledge", "retry", "retry if left", "release", "release for", "postpone", "dead-letter")
                .forEach(id -> held.leased(id, T0 - 5, "w1-1", END, 2, "E: old"));
        ShardState settled = state(
                        "retrying retry 700 2 E: no < E: old, retrying 'retry if left' 700 2 E: no < E: old, "
                                + "retrying last 700 3 E: no < E: old, "
                                + "deadLetter 'last if left' w1-1 0 ATTEMPTS_SPENT 3 -5 "
                                + failed("E: no", failed(2, "E: old")) + ", "
                                + "retrying release -5 1 E: old, scheduled 'release first' -5, "
                                + "retrying 'release for' 700 1 E: old, "
                                + "crashed 'release first for' 700 0, crashed 'release moved' -5 0, "
                                + "crashed postpone 700 1 p1 E: old, crashed postponed 0 0 p3")
                .deadLetter(
                        "postponed too often",
                        "w1-1",
                        T0,
                        "POSTPONEMENTS_SPENT",
                        1,
                        T0 - 5,
                        failed(TOO_OFTEN, failed(0, "E: old")))
                .and("crashed 'postponed, retry' 7 2 p3 E: no < E: old, "
                        + "crashed 'postponed, release' -5 1 p4, "
                        + "leased 'postponed, claim' -6 w1-3 30000 1 p5")
                .deadLetter(
                        "dead-letter", "w1-1", T0, "ATTEMPTS_SPENT", 2, T0 - 5, failed(REQUESTED, failed(1, "E: old")));
        settled.get("messages").replaceAll((id, message) -> held.get("messages").get(id));
        ShardState over = state("leased a -5 w1-1 -1, leased b -5 w1-1 -1, leased c -5 w1-1 -1");
        return Stream.of(
                new Row(
                        "each settlement: delays, counts and the last failure; only a retry counts and has its failure",
                        held,
                        settles(poll -> poll.acknowledge("acknowledge", "w1-1")
                                .retry("retry", "w1-1", 700)
                                .retryIfAttemptsLeft("retry if left", "w1-1", 700)
                                .retry("last", "w1-1", 700) // the caller checked the attempts
                                .retryIfAttemptsLeft("last if left", "w1-1", 700)
                                .release("release", "w1-1")
                                .release("release first", "w1-1")
                                .release("release for", "w1-1", 700)
                                .release("release first for", "w1-1", 700)
                                .release("release moved", "w1-1")
                                .postpone("postpone", "w1-1", 700, 1)
                                .postpone("postponed", "w1-1", 0, 3)
                                .postpone("postponed too often", "w1-1", 700, 3)
                                .retry("postponed, retry", "w1-1", 7)
                                .release("postponed, release", "w1-1")
                                .deadLetter("dead-letter", "w1-1", DeadLetterCause.ATTEMPTS_SPENT)
                                .claim(1)),
                        "claimed postponed, claim#1@-6, deadLettered last if left:ATTEMPTS_SPENT"
                                + " postponed too often:POSTPONEMENTS_SPENT dead-letter:ATTEMPTS_SPENT,"
                                + " due -5, lease 30000",
                        settled),
                new Row(
                        "acknowledge alone: gone",
                        state("leased a -5 w1-1 30000, leased b -5 w1-2 30000 2 E: old"),
                        settles(poll -> poll.acknowledge("a", "w1-1").acknowledge("b", "w1-2")),
                        "due never, lease never",
                        new ShardState()),
                new Row(
                        "after the lease's end, before reclaim: accepted",
                        over,
                        settles(poll -> poll.acknowledge("a", "w1-1")
                                .retry("b", "w1-1", 7)
                                .renew("c", "w1-1", 9000)),
                        "due 7, lease 9000",
                        state("retrying b 7 1 E: no")
                                .put("messages", "b", stored("b", T0 - 5))
                                .leased("c", T0 - 5, "w1-1", T0 + 9000)),
                new Row(
                        "beyond 2,000 bytes the oldest failures are dropped; a token with a node",
                        new ShardState()
                                .leased(
                                        "a",
                                        T0 - 5,
                                        "n1.x-1",
                                        END,
                                        4,
                                        "E: " + LONG + " < E: " + LONG + " < E: the oldest of all four failures")
                                .leased("b", T0 - 5, "w1-1", END, 2, "E: old"),
                        settles(poll -> poll.retry("a", "n1.x-1", 7).retry("b", "w1-1", 7, "z".repeat(2_000))),
                        "due 7, lease never",
                        new ShardState()
                                .retrying(
                                        "a",
                                        T0 + 7,
                                        4,
                                        T0 + " 4 n1 - E: no\n" + failed(3, "E: " + LONG + " < E: " + LONG))
                                .put("messages", "a", stored("a", T0 - 5))
                                .retrying("b", T0 + 7, 2, "E: " + "z".repeat(500) + "\u00e2\u0080\u00a6 < E: old")
                                .put("messages", "b", stored("b", T0 - 5))),
                new Row(
                        "renewals: those with the token, from now; none shortens a lease",
                        state("leased a 0 w1-1 30000, leased b 0 w2-1 30000, leased c 0 w1-1 30000"),
                        settles(poll -> poll.renew("a", "w1-1", 90_000)
                                .renew("b", "w1-1", 1)
                                .renew("c", "w1-1", 5000)
                                .renew("d", "w1-1", 1)),
                        "lost b d, due never, lease 30000",
                        state("leased a 0 w1-1 90000, leased b 0 w2-1 30000, leased c 0 w1-1 30000")));
    }

    private static Stream<Row> notHeld() {
        List<String> ids = List.of("a", "b", "c", "d", "e", "f");
        ShardState scheduled = new ShardState();
        ShardState retrying = new ShardState();
        ShardState leased = new ShardState();
        ShardState byAnother = new ShardState();
        ShardState dead = new ShardState();
        ids.forEach(id -> {
            scheduled.scheduled(id, T0 + 5);
            retrying.retrying(id, T0 + 5, 1, "E: no");
            leased.leased(id, T0, "w1-1", END);
            byAnother.leased(id, T0, id.compareTo("c") > 0 ? "w1-10" : "w2-1", END);
            dead.deadLetter(id, "w1-1", T0, "REQUESTED", 1, T0, "");
        });
        Stream<String> forged =
                Stream.of("-", "", " ", "- 1", "- 1 " + (T0 + 5), "w1-1 1", "w1-1 1 " + T0, "w1-", "-1", ".*", "%S+");
        return Stream.concat(
                Stream.of(
                        rejected("absent", new ShardState(), "w1-1", "due never, lease never"),
                        rejected("scheduled", scheduled, "w1-1", "due 5, lease never"),
                        rejected("retrying", retrying, "w1-1", "due 5, lease never"),
                        rejected("leased with another token", byAnother, "w1-1", "due never, lease 30000"),
                        rejected("dead", dead, "w1-1", "due never, lease never")),
                forged.flatMap(token -> Stream.of(
                        rejected("retrying", retrying, token, "due 5, lease never"),
                        rejected("leased", leased, token, "due never, lease 30000"))));
    }

    private static Row rejected(String state, ShardState before, String token, String next) {
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

    private static Stream<Row> leftovers() {
        return Stream.of(new Row(
                "a token without a message: neither dead letter nor schedule; acknowledge leaves a place to the next claim",
                state("leases a 30000")
                        .put("deliveries", "a", "w1-1 1 " + T0 + " ")
                        .put("leases", "b", END)
                        .put("deliveries", "b", "w1-1 1 " + T0 + " ")
                        .and("leased c 0 w1-1 30000, schedule c 9"),
                settles(poll -> poll.deadLetter("a", "w1-1", DeadLetterCause.REQUESTED)
                        .retry("b", "w1-1", 5)
                        .retry("b", "w1-1", 5)
                        .acknowledge("c", "w1-1")),
                "due 9, lease never",
                state("schedule c 9")));
    }

    private static Function<StoreBench, Object> settles(UnaryOperator<Polls> settle) {
        return bench -> PollReplyText.of(bench.poll(settle.apply(Polls.by("w1", 3))));
    }

    /** The id is cancelled, replaced, released and sent anew: the first token never comes back. */
    @Test
    void anOldTokenIsRejectedWhateverHappenedToItsMessage() {
        send(OnDuplicate.REJECT, "n1");
        bench.poll(Polls.by("w1", 1).claim(1));
        bench.cancel("a");
        assertRejected(2);
        send(OnDuplicate.REJECT, "n2");
        bench.poll(Polls.by("w1", 3).claim(1));
        assertRejected(4);
        send(OnDuplicate.REPLACE, "n3");
        assertRejected(5);
        bench.poll(Polls.by("w1", 6).claim(1));
        bench.poll(Polls.by("w1", 7).release("a", "w1-6"));
        assertThat(PollReplyText.of(bench.poll(Polls.by("w1", 8).claim(1).acknowledge("a", "w1-6"))))
                .isEqualTo("claimed a#1@0, gone a, due never, lease 30000");
        assertRejected(9);
    }

    private static void assertRejected(long sequence) {
        ShardState before = bench.state();
        Polls settle = Polls.by("w1", sequence).retry("a", "w1-1", 0);
        assertThat(PollReplyText.of(bench.poll(settle))).startsWith("gone a,");
        assertThat(bench.state()).hasToString(before.toString());
    }

    private static void send(OnDuplicate mode, String nonce) {
        bench.send(Sends.message("a", Due.NOW, mode, nonce));
    }
}
