package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.failed;
import static io.delayqueue.store.bench.ShardState.message;
import static io.delayqueue.store.bench.ShardState.record;
import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.ShardState.stored;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollReply.DeadLettered;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.bench.PollReplyText;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Row;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The state table of {@code poll.lua} where it reclaims, and what keeps it from that. */
class PollReclaimTests extends ScriptTable {

    private static final long OVER = T0 - 1;
    private static final long END = T0 + 30_000;

    static Stream<Row> table() {
        return Stream.of(over(), suspects(), settled(), leftovers()).flatMap(rows -> rows);
    }

    private static Stream<Row> over() {
        return Stream.of(
                new Row(
                        "leases that are over: due now, with the last failure; a crash is no attempt",
                        state("leased runs -5 w0-1 1, leased over -5 w0-1 0 2 E: no, "
                                        + "leased 'last attempt' -5 w0-1 -1 3 E: no, "
                                        + "leased 'second crash' -5 w0-1 -1 1 /1/0, "
                                        + "leased postponed -5 w0-1 -1 1 p2/1/0, "
                                        + "leased isolated -5 w0-1 -1 1 /3/1!, "
                                        + "leased 'suspect, not isolated' -5 w0-1 -1 1 /3/2, "
                                        + "leased 'last crash' -5 w0-1 -1 2 /4/2! E: no")
                                .leased("received", T0 - 5, "w0-1", OVER, 2, "+", "E: no")
                                .leased("received after a crash", T0 - 5, "w0-1", OVER, 1, "/1/0+", "")
                                .leased("received last", T0 - 5, "w0-1", OVER, 3, "+", "E: no"),
                        polls(poll -> poll),
                        "reclaimed isolated last attempt postponed received received after a crash second crash"
                                + " suspect, not isolated over, deadLettered last crash:CRASHED"
                                + " received last:ATTEMPTS_SPENT, due 0, lease 1, suspects left",
                        stillStored(state("leased runs -5 w0-1 1, crashed over 0 1 /1/0 E: no, "
                                + "crashed 'last attempt' 0 2 /1/0 E: no, "
                                + "suspect 'second crash' 0 0 /2/0, suspect postponed 0 0 p2/2/0, "
                                + "suspect isolated 0 0 /4/2, suspect 'suspect, not isolated' 0 0 /4/2, "
                                + "deadLetter 'last crash' w0-1 0 CRASHED 2 -5 " + failed("E: no", failed(1, "E: no"))
                                + ", "
                                + "retrying received 0 2 " + failed(1, "E: no") + ", "
                                + "crashed 'received after a crash' 0 1 /1/0, "
                                + "deadLetter 'received last' w0-1 0 ATTEMPTS_SPENT 3 -5 "
                                + failed("E: no", failed(2, "E: no"))))),
                Row.unchanged(
                        "none wanted",
                        state("leased a -5 w0-1 -1"),
                        polls(poll -> poll.reclaim(0)),
                        "due never, lease -1"),
                new Row(
                        "no more than wanted, those that ended first",
                        state("leased a -5 w0-1 -1, leased b -5 w0-1 -2"),
                        polls(poll -> poll.reclaim(1)),
                        "reclaimed b, due 0, lease -1",
                        stillStored(state("leased a -5 w0-1 -1, crashed b 0 0 /1/0"))),
                new Row(
                        "what is settled or renewed in the same poll is not reclaimed",
                        state("leased a -5 w1-1 -1, leased b -5 w1-1 -1, leased c -5 w0-1 -1"),
                        polls(poll -> poll.acknowledge("a", "w1-1").renew("b", "w1-1", 9)),
                        "reclaimed c, due 0, lease 9",
                        stillStored(state("leased b -5 w1-1 9, crashed c 0 0 /1/0"))));
    }

    /** With the messages as they were sent, due 5 ms before {@code T0}. */
    private static ShardState stillStored(ShardState state) {
        state.get("messages").replaceAll((id, message) -> stored(id, T0 - 5));
        return state;
    }

    private static Stream<Row> suspects() {
        String own = message("+n x=4", T0, T0 - 5, "\na");
        return Stream.of(
                new Row(
                        "a message with a crash is claimed only among those that are handled at once",
                        state("crashed a -9 0 /1/0, scheduled b -8, scheduled c -7, "
                                + "crashed d -6 0 /1/0, scheduled e -5"),
                        polls(poll -> poll.claim(5).handlers(2)),
                        "claimed a#1@-9 b#1@-8 c#1@-7, due -6, lease 30000",
                        state("leased a -9 w1-3 30000 1 /1/0, leased b -8 w1-3 30000, "
                                + "leased c -7 w1-3 30000, crashed d -6 0 /1/0, scheduled e -5")),
                new Row(
                        "or as the first, beside a suspect",
                        state("suspect a -5 0 /2/0, crashed b -9 0 /1/0, crashed c -8 0 /1/0"),
                        polls(poll -> poll.claim(5).handlers(0).claimSuspect()),
                        "claimed a!#1@-5 b#1@-9, due -8, lease 30000",
                        state("leased a -5 w1-3 30000 1 /2/0!, leased b -9 w1-3 30000 1 /1/0, "
                                + "crashed c -8 0 /1/0")),
                new Row(
                        "a suspect is not claimed with others, and is one again when it was rescheduled and is due",
                        state("suspect a -9 0 /2/0, crashed b -5 0 /2/0, crashed c -5 0 /1/0"),
                        polls(poll -> poll.claim(5)),
                        "claimed c#1@-5, due never, lease 30000, suspects left",
                        state("suspect a -9 0 /2/0, suspect b -5 0 /2/0, leased c -5 w1-3 30000 1 /1/0")),
                new Row(
                        "one suspect is claimed in isolation, beside other messages",
                        state("suspect a -9 1 /2/0 E: no, suspect b -8 0 /5/1, scheduled c -20"),
                        polls(poll -> poll.claim(1).claimSuspect()),
                        "claimed a!#2@-9(E: no) c#1@-20, due never, lease 30000, suspects left",
                        state("leased a -9 w1-3 30000 2 /2/0! E: no, suspect b -8 0 /5/1, "
                                + "leased c -20 w1-3 30000")),
                new Row(
                        "without suspects a poll claims as usual, whatever crashes a foreign client wrote",
                        state("retrying a -5 1").put("deliveries", "a", "- 1/x/! " + T0 + " E"),
                        polls(poll -> poll.claim(1).claimSuspect()),
                        "claimed a#1@-5, due never, lease 30000",
                        state("leased a -5 w1-3 30000")),
                new Row(
                        "expired: a suspect, and a message that was postponed past its expiry",
                        state("suspect a -5 1 /2/1 E: no, crashed b -5 1 p1 E: no")
                                .put("messages", "a", own)
                                .put("messages", "b", own),
                        polls(poll -> poll.claim(1).claimSuspect()),
                        "deadLettered a:EXPIRED b:EXPIRED, due never, lease never",
                        new ShardState()
                                .put("dead", "a@n." + T0, T0)
                                .put("dead", "b@n." + T0, T0)
                                .put(
                                        "deadLetters",
                                        "a@n." + T0,
                                        record(T0, "EXPIRED", 1, T0 - 5, failed("E: no", failed(1, "E: no")), own))
                                .put(
                                        "deadLetters",
                                        "b@n." + T0,
                                        record(T0, "EXPIRED", 1, T0 - 5, failed("E: no", failed(1, "E: no")), own))),
                new Row(
                        "a suspect without a message is removed",
                        new ShardState().put("schedule", "a", T0 + 1_000_000_000_000_000L),
                        polls(poll -> poll.claimSuspect()),
                        "due never, lease never",
                        new ShardState()),
                new Row(
                        "a message that a receiver gets",
                        state("scheduled a -5, scheduled b -4"),
                        polls(poll -> poll.claimForReceiver()),
                        "claimed a#1@-5, due -4, lease 30000",
                        state("leased a -5 w1-3+ 30000, scheduled b -4")),
                new Row(
                        "a suspect that a receiver gets is not isolated",
                        state("suspect a -5 1 /2/1 E: no"),
                        polls(poll -> poll.claimForReceiver().claimSuspect()),
                        "claimed a#2@-5(E: no), due never, lease 30000",
                        state("leased a -5 w1-3 30000 2 /2/1+ E: no")));
    }

    private static Stream<Row> settled() {
        return Stream.of(new Row(
                "a retry ends the suspicion; a release does not; nor does a postponement, until the message is due again",
                state("leased retry -5 w1-1 -1 2 /2/1!, "
                        + "leased release -5 w1-1 -1 2 /2/1! E: no, "
                        + "leased 'release after a crash' -5 w1-1 -1 1 /1/0, "
                        + "leased postpone -5 w1-1 -1 1 /2/1!, "
                        + "leased 'postpone by nothing' -5 w1-1 -1 1 p1/2/1!, "
                        + "crashed postponed -6 0 p1/2/1"),
                polls(poll -> poll.retry("retry", "w1-1", 8)
                        .release("release", "w1-1")
                        .release("release after a crash", "w1-1")
                        .postpone("postpone", "w1-1", 7, 2)
                        .postpone("postpone by nothing", "w1-1", 0, 2)
                        .claim(1)),
                "due -5, lease never, suspects left",
                stillStored(state("retrying retry 8 2 E: no, suspect release -5 1 /2/1 E: no, "
                                + "crashed 'release after a crash' -5 0 /1/0, "
                                + "crashed postpone 7 0 p1/2/1, "
                                + "suspect 'postpone by nothing' 0 0 p2/2/1, "
                                + "suspect postponed -6 0 p1/2/1"))
                        .put("messages", "postponed", stored("postponed", T0 - 6))));
    }

    private static Stream<Row> leftovers() {
        return Stream.of(new Row(
                "what scripts that stopped midway left is swept or finished",
                state("leases 'no message' -1")
                        .put("deliveries", "no message", "w0-1 1 " + T0 + " ")
                        .and("scheduled scheduled 7, leases scheduled -1, "
                                + "retrying 'handed back' 7 1 E: no, leases 'handed back' -1")
                        .put("messages", "no delivery", stored("no delivery", T0))
                        .and("leases 'no delivery' -1, "
                                + "deadLetter after w0-1 -9 REQUESTED 1 -5 E: why, "
                                + "leased after -5 w0-1 -1, dead before@w0-1 -9, "
                                + "leased before -5 w0-1 -1 1 E: no"),
                polls(poll -> poll),
                "deadLettered after:REQUESTED before:CRASHED, due 0, lease never",
                state("scheduled scheduled 7, retrying 'handed back' 7 1 E: no, "
                        + "scheduled 'no delivery' 0, "
                        + "deadLetter after w0-1 -9 REQUESTED 1 -5 E: why, "
                        + "deadLetter before w0-1 0 CRASHED 1 -5 " + failed("E: no", failed(0, "E: no")))));
    }

    private static Function<StoreBench, Object> polls(UnaryOperator<Polls> change) {
        return bench -> PollReplyText.of(bench.poll(change.apply(Polls.by("w1", 3))));
    }

    @Test
    void afterAGapNothingIsReclaimedUntilLivingOwnersHadTimeToRenew() {
        bench.given(state("leased a 0 w0-1 4000"));
        bench.clock(T0 + 5001);
        assertThat(PollReplyText.of(bench.poll(Polls.by("w1", 1)))).isEqualTo("due never, lease 7001");
        assertThat(bench.meta("meta")).containsEntry("grace", "" + (T0 + 15_001));
        bench.clock(T0 + 10_001);
        bench.poll(Polls.by("w1", 2));
        bench.clock(T0 + 15_000);
        assertThat(PollReplyText.of(bench.poll(Polls.by("w1", 3)))).isEqualTo("due never, lease 4000");
        bench.clock(T0 + 15_001);
        assertThat(PollReplyText.of(bench.poll(Polls.by("w1", 4)))).startsWith("reclaimed a,");
    }

    @Test
    void aPollThatIsOlderThanTheLastIsStale() {
        bench.given(state("scheduled a 0"));
        bench.poll(Polls.by("w1", 2).claim(1));
        ShardState before = bench.state();
        assertThatThrownBy(() -> bench.poll(Polls.by("w1", 1).claim(1).acknowledge("a", "w1-2")))
                .isInstanceOf(TopicConflictException.class);
        assertThat(bench.state()).hasToString(before.toString());
    }

    @Test
    void aPollThatIsOlderThanAnIdleOneIsStale() {
        bench.poll(Polls.by("w1", 2).claim(1));
        bench.given(state("scheduled a 0"));
        assertThatThrownBy(() -> bench.poll(Polls.by("w1", 1).claim(1))).isInstanceOf(TopicConflictException.class);
    }

    @Test
    void theRepeatOfAnIdlePollClaimsNothing() {
        bench.poll(Polls.by("w1", 2).claim(1));
        bench.given(state("scheduled a 0"));
        assertThat(PollReplyText.of(bench.poll(Polls.by("w1", 2).claim(1)))).isEqualTo("due 0, lease never");
        assertThat(PollReplyText.of(bench.poll(Polls.by("w1", 3).claim(1)))).startsWith("claimed a#1@0");
    }

    @Test
    void theRepeatOfAPollRepliesAsTheFirstTimeAlsoAfterPollsOfOthers() {
        bench.given(state("scheduled a -3, retrying b -2 1 E: no, leased c 0 w1-0 9, leased d 0 w1-0 9"));
        Polls poll = Polls.by("w1", 1)
                .claim(2)
                .acknowledge("c", "w1-0")
                .deadLetter("d", "w1-0", DeadLetterCause.REQUESTED)
                .acknowledge("x", "w1-0")
                .renew("y", "w1-0", 5);
        String first = PollReplyText.of(bench.poll(poll));
        assertThat(first)
                .isEqualTo(
                        "claimed a#1@-3 b#2@-2(E: no), gone x, lost y, deadLettered d:REQUESTED, due never, lease 30000");
        bench.given(state("scheduled e 0"));
        bench.poll(Polls.by("w2", 1).claim(1));
        assertThat(PollReplyText.of(bench.poll(poll))).isEqualTo(first);
    }

    /** A dead letter that stopped midway is ended by whoever meets it, also where another version began it. */
    @Test
    void deadLettersThatAnotherVersionBeganAreEnded() {
        bench.given(state("leased a -5 w0-1 -1, deadLetter a w0-1 -1 REPENTED 1 -5, "
                        + "leased b -5 w0-1 -1, dead b@w0-1 -1")
                .put("deadLetters", "b@w0-1", "2")
                .leased("c", T0 - 5, "w0-1", OVER, 3, "/4/2!", ""));

        PollReply reply = bench.poll(Polls.by("w1", 2).reclaim(10));

        assertThat(reply.deadLettered())
                .containsExactlyInAnyOrder(
                        new DeadLettered("a", DeadLetterCause.UNKNOWN),
                        new DeadLettered("b", DeadLetterCause.UNKNOWN),
                        new DeadLettered("c", DeadLetterCause.CRASHED));
        assertThat(bench.state().get("messages")).isEmpty();
    }
}
