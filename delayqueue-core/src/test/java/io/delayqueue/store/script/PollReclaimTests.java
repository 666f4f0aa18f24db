package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.message;
import static io.delayqueue.store.bench.ShardState.record;
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
                        new ShardState()
                                .leased("runs", T0 - 5, "w0-1", T0 + 1)
                                .leased("over", T0 - 5, "w0-1", T0, 2, "E: no")
                                .leased("last attempt", T0 - 5, "w0-1", OVER, 3, "E: no")
                                .leased("second crash", T0 - 5, "w0-1", OVER, 1, "/1/0", "")
                                .leased("postponed", T0 - 5, "w0-1", OVER, 1, "p2/1/0", "")
                                .leased("isolated", T0 - 5, "w0-1", OVER, 1, "/3/1!", "")
                                .leased("suspect, not isolated", T0 - 5, "w0-1", OVER, 1, "/3/2", "")
                                .leased("last crash", T0 - 5, "w0-1", OVER, 2, "/4/2!", "E: no")
                                .leased("received", T0 - 5, "w0-1", OVER, 2, "+", "E: no")
                                .leased("received after a crash", T0 - 5, "w0-1", OVER, 1, "/1/0+", "")
                                .leased("received last", T0 - 5, "w0-1", OVER, 3, "+", "E: no"),
                        polls(poll -> poll),
                        "reclaimed isolated last attempt postponed received received after a crash second crash"
                                + " suspect, not isolated over, deadLettered last crash:CRASHED"
                                + " received last:ATTEMPTS_SPENT, due 0, lease 1, suspects left",
                        stillStored(new ShardState()
                                .leased("runs", T0 - 5, "w0-1", T0 + 1)
                                .crashed("over", T0, 1, "/1/0", "E: no")
                                .crashed("last attempt", T0, 2, "/1/0", "E: no")
                                .suspect("second crash", T0, 0, "/2/0", "")
                                .suspect("postponed", T0, 0, "p2/2/0", "")
                                .suspect("isolated", T0, 0, "/4/2", "")
                                .suspect("suspect, not isolated", T0, 0, "/4/2", "")
                                .deadLetter("last crash", "w0-1", T0, "CRASHED", 2, T0 - 5, "E: no")
                                .retrying("received", T0, 2, "E: no")
                                .crashed("received after a crash", T0, 1, "/1/0", "")
                                .deadLetter("received last", "w0-1", T0, "ATTEMPTS_SPENT", 3, T0 - 5, "E: no"))),
                Row.unchanged(
                        "none wanted",
                        new ShardState().leased("a", T0 - 5, "w0-1", OVER),
                        polls(poll -> poll.reclaim(0)),
                        "due never, lease -1"),
                new Row(
                        "no more than wanted, those that ended first",
                        new ShardState().leased("a", T0 - 5, "w0-1", OVER).leased("b", T0 - 5, "w0-1", OVER - 1),
                        polls(poll -> poll.reclaim(1)),
                        "reclaimed b, due 0, lease -1",
                        stillStored(new ShardState()
                                .leased("a", T0 - 5, "w0-1", OVER)
                                .crashed("b", T0, 0, "/1/0", ""))),
                new Row(
                        "what is settled or renewed in the same poll is not reclaimed",
                        new ShardState()
                                .leased("a", T0 - 5, "w1-1", OVER)
                                .leased("b", T0 - 5, "w1-1", OVER)
                                .leased("c", T0 - 5, "w0-1", OVER),
                        polls(poll -> poll.acknowledge("a", "w1-1").renew("b", "w1-1", 9)),
                        "reclaimed c, due 0, lease 9",
                        stillStored(new ShardState()
                                .leased("b", T0 - 5, "w1-1", T0 + 9)
                                .crashed("c", T0, 0, "/1/0", ""))));
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
                        new ShardState()
                                .crashed("a", T0 - 9, 0, "/1/0", "")
                                .scheduled("b", T0 - 8)
                                .scheduled("c", T0 - 7)
                                .crashed("d", T0 - 6, 0, "/1/0", "")
                                .scheduled("e", T0 - 5),
                        polls(poll -> poll.claim(5).handlers(2)),
                        "claimed a#1@-9 b#1@-8 c#1@-7, due -6, lease 30000",
                        new ShardState()
                                .leased("a", T0 - 9, "w1-3", END, 1, "/1/0", "")
                                .leased("b", T0 - 8, "w1-3", END)
                                .leased("c", T0 - 7, "w1-3", END)
                                .crashed("d", T0 - 6, 0, "/1/0", "")
                                .scheduled("e", T0 - 5)),
                new Row(
                        "or as the first, beside a suspect",
                        new ShardState()
                                .suspect("a", T0 - 5, 0, "/2/0", "")
                                .crashed("b", T0 - 9, 0, "/1/0", "")
                                .crashed("c", T0 - 8, 0, "/1/0", ""),
                        polls(poll -> poll.claim(5).handlers(0).claimSuspect()),
                        "claimed a!#1@-5 b#1@-9, due -8, lease 30000",
                        new ShardState()
                                .leased("a", T0 - 5, "w1-3", END, 1, "/2/0!", "")
                                .leased("b", T0 - 9, "w1-3", END, 1, "/1/0", "")
                                .crashed("c", T0 - 8, 0, "/1/0", "")),
                new Row(
                        "a suspect is not claimed with others, and is one again when it was rescheduled and is due",
                        new ShardState()
                                .suspect("a", T0 - 9, 0, "/2/0", "")
                                .crashed("b", T0 - 5, 0, "/2/0", "")
                                .crashed("c", T0 - 5, 0, "/1/0", ""),
                        polls(poll -> poll.claim(5)),
                        "claimed c#1@-5, due never, lease 30000, suspects left",
                        new ShardState()
                                .suspect("a", T0 - 9, 0, "/2/0", "")
                                .suspect("b", T0 - 5, 0, "/2/0", "")
                                .leased("c", T0 - 5, "w1-3", END, 1, "/1/0", "")),
                new Row(
                        "one suspect is claimed in isolation, beside other messages",
                        new ShardState()
                                .suspect("a", T0 - 9, 1, "/2/0", "E: no")
                                .suspect("b", T0 - 8, 0, "/5/1", "")
                                .scheduled("c", T0 - 20),
                        polls(poll -> poll.claim(1).claimSuspect()),
                        "claimed a!#2@-9(E: no) c#1@-20, due never, lease 30000, suspects left",
                        new ShardState()
                                .leased("a", T0 - 9, "w1-3", END, 2, "/2/0!", "E: no")
                                .suspect("b", T0 - 8, 0, "/5/1", "")
                                .leased("c", T0 - 20, "w1-3", END)),
                new Row(
                        "without suspects a poll claims as usual, whatever crashes a foreign client wrote",
                        new ShardState().retrying("a", T0 - 5, 1, "").put("deliveries", "a", "- 1/x/! " + T0 + " E"),
                        polls(poll -> poll.claim(1).claimSuspect()),
                        "claimed a#1@-5, due never, lease 30000",
                        new ShardState().leased("a", T0 - 5, "w1-3", END)),
                new Row(
                        "expired: a suspect, and a message that was postponed past its expiry",
                        new ShardState()
                                .suspect("a", T0 - 5, 1, "/2/1", "E: no")
                                .crashed("b", T0 - 5, 1, "p1", "E: no")
                                .put("messages", "a", own)
                                .put("messages", "b", own),
                        polls(poll -> poll.claim(1).claimSuspect()),
                        "deadLettered a:EXPIRED b:EXPIRED, due never, lease never",
                        new ShardState()
                                .put("dead", "a@n." + T0, T0)
                                .put("dead", "b@n." + T0, T0)
                                .put("deadLetters", "a@n." + T0, record(T0, "EXPIRED", 1, T0 - 5, "E: no", own))
                                .put("deadLetters", "b@n." + T0, record(T0, "EXPIRED", 1, T0 - 5, "E: no", own))),
                new Row(
                        "a suspect without a message is removed",
                        new ShardState().put("schedule", "a", T0 + 1_000_000_000_000_000L),
                        polls(poll -> poll.claimSuspect()),
                        "due never, lease never",
                        new ShardState()),
                new Row(
                        "a message that a receiver gets",
                        new ShardState().scheduled("a", T0 - 5).scheduled("b", T0 - 4),
                        polls(poll -> poll.claimForReceiver()),
                        "claimed a#1@-5, due -4, lease 30000",
                        new ShardState().leased("a", T0 - 5, "w1-3+", END).scheduled("b", T0 - 4)),
                new Row(
                        "a suspect that a receiver gets is not isolated",
                        new ShardState().suspect("a", T0 - 5, 1, "/2/1", "E: no"),
                        polls(poll -> poll.claimForReceiver().claimSuspect()),
                        "claimed a#2@-5(E: no), due never, lease 30000",
                        new ShardState().leased("a", T0 - 5, "w1-3", END, 2, "/2/1+", "E: no")));
    }

    private static Stream<Row> settled() {
        return Stream.of(new Row(
                "a retry ends the suspicion; a release does not; nor does a postponement, until the message is due again",
                new ShardState()
                        .leased("retry", T0 - 5, "w1-1", OVER, 2, "/2/1!", "")
                        .leased("release", T0 - 5, "w1-1", OVER, 2, "/2/1!", "E: no")
                        .leased("release after a crash", T0 - 5, "w1-1", OVER, 1, "/1/0", "")
                        .leased("postpone", T0 - 5, "w1-1", OVER, 1, "/2/1!", "")
                        .leased("postpone by nothing", T0 - 5, "w1-1", OVER, 1, "p1/2/1!", "")
                        .crashed("postponed", T0 - 6, 0, "p1/2/1", ""),
                polls(poll -> poll.retry("retry", "w1-1", 8)
                        .release("release", "w1-1")
                        .release("release after a crash", "w1-1")
                        .postpone("postpone", "w1-1", 7, 2)
                        .postpone("postpone by nothing", "w1-1", 0, 2)
                        .claim(1)),
                "due -5, lease never, suspects left",
                stillStored(new ShardState()
                                .retrying("retry", T0 + 8, 2, "E: no")
                                .suspect("release", T0 - 5, 1, "/2/1", "E: no")
                                .crashed("release after a crash", T0 - 5, 0, "/1/0", "")
                                .crashed("postpone", T0 + 7, 0, "p1/2/1", "")
                                .suspect("postpone by nothing", T0, 0, "p2/2/1", "")
                                .suspect("postponed", T0 - 6, 0, "p1/2/1", ""))
                        .put("messages", "postponed", stored("postponed", T0 - 6))));
    }

    private static Stream<Row> leftovers() {
        return Stream.of(new Row(
                "what scripts that stopped midway left is swept or finished",
                new ShardState()
                        .put("leases", "no message", OVER)
                        .put("deliveries", "no message", "w0-1 1 " + T0 + " ")
                        .scheduled("scheduled", T0 + 7)
                        .put("leases", "scheduled", OVER)
                        .retrying("handed back", T0 + 7, 1, "E: no")
                        .put("leases", "handed back", OVER)
                        .put("messages", "no delivery", stored("no delivery", T0))
                        .put("leases", "no delivery", OVER)
                        .deadLetter("after", "w0-1", T0 - 9, "REQUESTED", 1, T0 - 5, "E: why")
                        .leased("after", T0 - 5, "w0-1", OVER)
                        .put("dead", "before@w0-1", T0 - 9)
                        .leased("before", T0 - 5, "w0-1", OVER, 1, "E: no"),
                polls(poll -> poll),
                "deadLettered after:REQUESTED before:CRASHED, due 0, lease never",
                new ShardState()
                        .scheduled("scheduled", T0 + 7)
                        .retrying("handed back", T0 + 7, 1, "E: no")
                        .scheduled("no delivery", T0)
                        .deadLetter("after", "w0-1", T0 - 9, "REQUESTED", 1, T0 - 5, "E: why")
                        .deadLetter("before", "w0-1", T0, "CRASHED", 1, T0 - 5, "E: no")));
    }

    private static Function<StoreBench, Object> polls(UnaryOperator<Polls> change) {
        return bench -> PollReplyText.of(bench.poll(change.apply(Polls.by("w1", 3))));
    }

    @Test
    void afterAGapNothingIsReclaimedUntilLivingOwnersHadTimeToRenew() {
        bench.given(new ShardState().leased("a", T0, "w0-1", T0 + 4000));
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
        bench.given(new ShardState().scheduled("a", T0));
        bench.poll(Polls.by("w1", 2).claim(1));
        ShardState before = bench.state();
        assertThatThrownBy(() -> bench.poll(Polls.by("w1", 1).claim(1).acknowledge("a", "w1-2")))
                .isInstanceOf(TopicConflictException.class);
        assertThat(bench.state()).hasToString(before.toString());
    }

    @Test
    void aPollThatIsOlderThanAnIdleOneIsStale() {
        bench.poll(Polls.by("w1", 2).claim(1));
        bench.given(new ShardState().scheduled("a", T0));
        assertThatThrownBy(() -> bench.poll(Polls.by("w1", 1).claim(1))).isInstanceOf(TopicConflictException.class);
    }

    @Test
    void theRepeatOfAnIdlePollClaimsNothing() {
        bench.poll(Polls.by("w1", 2).claim(1));
        bench.given(new ShardState().scheduled("a", T0));
        assertThat(PollReplyText.of(bench.poll(Polls.by("w1", 2).claim(1)))).isEqualTo("due 0, lease never");
        assertThat(PollReplyText.of(bench.poll(Polls.by("w1", 3).claim(1)))).startsWith("claimed a#1@0");
    }

    @Test
    void theRepeatOfAPollRepliesAsTheFirstTimeAlsoAfterPollsOfOthers() {
        bench.given(new ShardState()
                .scheduled("a", T0 - 3)
                .retrying("b", T0 - 2, 1, "E: no")
                .leased("c", T0, "w1-0", T0 + 9)
                .leased("d", T0, "w1-0", T0 + 9));
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
        bench.given(new ShardState().scheduled("e", T0));
        bench.poll(Polls.by("w2", 1).claim(1));
        assertThat(PollReplyText.of(bench.poll(poll))).isEqualTo(first);
    }

    /** A dead letter that stopped midway is ended by whoever meets it, also where another version began it. */
    @Test
    void deadLettersThatAnotherVersionBeganAreEnded() {
        bench.given(new ShardState()
                .leased("a", T0 - 5, "w0-1", OVER)
                .deadLetter("a", "w0-1", T0 - 1, "REPENTED", 1, T0 - 5, "")
                .leased("b", T0 - 5, "w0-1", OVER)
                .put("dead", "b@w0-1", T0 - 1)
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
