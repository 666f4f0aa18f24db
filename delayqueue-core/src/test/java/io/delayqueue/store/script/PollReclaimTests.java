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
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Row;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.store.bench.Told;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The state table of {@code poll.lua} where it reclaims, and what keeps it from that. */
class PollReclaimTests extends ScriptTable {

    private static final long OVER = T0 - 1;

    static Stream<Row> table() {
        return Stream.of(over(), crashes(), leftovers()).flatMap(rows -> rows);
    }

    private static Stream<Row> over() {
        return Stream.of(
                Row.unchanged(
                        "a lease that runs is left alone",
                        new ShardState().leased("a", T0 - 5, "w0-1", T0 + 1),
                        polls(poll -> poll),
                        "due never, lease 1"),
                new Row(
                        "a lease that is over: due now, with the last failure",
                        new ShardState().leased("a", T0 - 5, "w0-1", T0, 2, "E: no"),
                        polls(poll -> poll),
                        "reclaimed a, due 0, lease never",
                        scheduledAgain("a", new ShardState().crashed("a", T0, 1, "/1/0", "E: no"))),
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
                        new ShardState()
                                .leased("a", T0 - 5, "w0-1", OVER)
                                .crashed("b", T0, 0, "/1/0", "")
                                .put("messages", "b", stored("b", T0 - 5))),
                new Row(
                        "what is settled or renewed in the same poll is not reclaimed",
                        new ShardState()
                                .leased("a", T0 - 5, "w1-1", OVER)
                                .leased("b", T0 - 5, "w1-1", OVER)
                                .leased("c", T0 - 5, "w0-1", OVER),
                        polls(poll -> poll.acknowledge("a", "w1-1").renew("b", "w1-1", 9)),
                        "reclaimed c, due 0, lease 9",
                        new ShardState()
                                .leased("b", T0 - 5, "w1-1", T0 + 9)
                                .crashed("c", T0, 0, "/1/0", "")
                                .put("messages", "c", stored("c", T0 - 5))));
    }

    private static Stream<Row> crashes() {
        String own = message("+n x=4", T0, T0 - 5, "\na");
        return Stream.of(
                new Row(
                        "a crash is no attempt, even the last one",
                        new ShardState().leased("a", T0 - 5, "w0-1", OVER, 3, "E: no"),
                        polls(poll -> poll),
                        "reclaimed a, due 0, lease never",
                        scheduledAgain("a", new ShardState().crashed("a", T0, 2, "/1/0", "E: no"))),
                new Row(
                        "after the second crash a message is a suspect",
                        new ShardState()
                                .leased("a", T0 - 5, "w0-1", OVER, 1, "/1/0", "")
                                .leased("b", T0 - 5, "w0-1", OVER),
                        polls(poll -> poll),
                        "reclaimed a b, due 0, lease never, suspects left",
                        scheduledAgain(
                                "a",
                                scheduledAgain(
                                        "b",
                                        new ShardState()
                                                .suspect("a", T0, 0, "/2/0", "")
                                                .crashed("b", T0, 0, "/1/0", "")))),
                new Row(
                        "crashes in isolation are counted apart",
                        new ShardState().leased("a", T0 - 5, "w0-1", OVER, 1, "/3/1!", ""),
                        polls(poll -> poll),
                        "reclaimed a, due never, lease never, suspects left",
                        scheduledAgain("a", new ShardState().suspect("a", T0, 0, "/4/2", ""))),
                new Row(
                        "a crash of a suspect that was not leased in isolation",
                        new ShardState().leased("a", T0 - 5, "w0-1", OVER, 1, "/3/2", ""),
                        polls(poll -> poll),
                        "reclaimed a, due never, lease never, suspects left",
                        scheduledAgain("a", new ShardState().suspect("a", T0, 0, "/4/2", ""))),
                new Row(
                        "the last permitted crash in isolation: a dead letter",
                        new ShardState().leased("a", T0 - 5, "w0-1", OVER, 2, "/4/2!", "E: no"),
                        polls(poll -> poll),
                        "deadLettered a:CRASHED, due never, lease never",
                        new ShardState().deadLetter("a", "w0-1", T0, "CRASHED", 2, T0 - 5, "E: no")),
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
                                .leased("a", T0 - 9, "w1-3", T0 + 30_000, 1, "/1/0", "")
                                .leased("b", T0 - 8, "w1-3", T0 + 30_000)
                                .leased("c", T0 - 7, "w1-3", T0 + 30_000)
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
                                .leased("a", T0 - 5, "w1-3", T0 + 30_000, 1, "/2/0!", "")
                                .leased("b", T0 - 9, "w1-3", T0 + 30_000, 1, "/1/0", "")
                                .crashed("c", T0 - 8, 0, "/1/0", "")),
                new Row(
                        "a suspect is not claimed with other messages",
                        new ShardState().suspect("a", T0 - 9, 0, "/2/0", "").scheduled("b", T0 - 5),
                        polls(poll -> poll.claim(5)),
                        "claimed b#1@-5, due never, lease 30000, suspects left",
                        new ShardState().suspect("a", T0 - 9, 0, "/2/0", "").leased("b", T0 - 5, "w1-3", T0 + 30_000)),
                new Row(
                        "one suspect is claimed in isolation, beside other messages",
                        new ShardState()
                                .suspect("a", T0 - 9, 1, "/2/0", "E: no")
                                .suspect("b", T0 - 8, 0, "/5/1", "")
                                .scheduled("c", T0 - 20),
                        polls(poll -> poll.claim(1).claimSuspect()),
                        "claimed a!#2@-9(E: no) c#1@-20, due never, lease 30000, suspects left",
                        new ShardState()
                                .leased("a", T0 - 9, "w1-3", T0 + 30_000, 2, "/2/0!", "E: no")
                                .suspect("b", T0 - 8, 0, "/5/1", "")
                                .leased("c", T0 - 20, "w1-3", T0 + 30_000)),
                new Row(
                        "without suspects a poll claims as usual",
                        new ShardState().scheduled("a", T0 - 5),
                        polls(poll -> poll.claim(1).claimSuspect()),
                        "claimed a#1@-5, due never, lease 30000",
                        new ShardState().leased("a", T0 - 5, "w1-3", T0 + 30_000)),
                new Row(
                        "a suspect that was rescheduled is a suspect again when it is due",
                        new ShardState().crashed("a", T0 - 5, 0, "/2/0", "").crashed("b", T0 - 5, 0, "/1/0", ""),
                        polls(poll -> poll.claim(5)),
                        "claimed b#1@-5, due never, lease 30000, suspects left",
                        new ShardState()
                                .suspect("a", T0 - 5, 0, "/2/0", "")
                                .leased("b", T0 - 5, "w1-3", T0 + 30_000, 1, "/1/0", "")),
                new Row(
                        "an expired suspect",
                        new ShardState()
                                .suspect("a", T0 - 5, 1, "/2/1", "E: no")
                                .put("messages", "a", own),
                        polls(poll -> poll.claimSuspect()),
                        "deadLettered a:EXPIRED, due never, lease never",
                        new ShardState()
                                .put("dead", "a@n." + T0, T0)
                                .put("deadLetters", "a@n." + T0, record(T0, "EXPIRED", 1, T0 - 5, "E: no", own))),
                new Row(
                        "a message that was postponed past its expiry",
                        new ShardState().crashed("a", T0 - 5, 1, "p1", "E: no").put("messages", "a", own),
                        polls(poll -> poll.claim(1)),
                        "deadLettered a:EXPIRED, due never, lease never",
                        new ShardState()
                                .put("dead", "a@n." + T0, T0)
                                .put("deadLetters", "a@n." + T0, record(T0, "EXPIRED", 1, T0 - 5, "E: no", own))),
                new Row(
                        "a suspect without a message is removed",
                        new ShardState().put("schedule", "a", T0 + 1_000_000_000_000_000L),
                        polls(poll -> poll.claimSuspect()),
                        "due never, lease never",
                        new ShardState()),
                new Row(
                        "a message that a receiver gets alone",
                        new ShardState().scheduled("a", T0 - 5).scheduled("b", T0 - 4),
                        polls(poll -> poll.claimAlone()),
                        "claimed a#1@-5, due -4, lease 30000",
                        new ShardState()
                                .leased("a", T0 - 5, "w1-3+", T0 + 30_000)
                                .scheduled("b", T0 - 4)),
                new Row(
                        "its attempt counts, and its crashes remain",
                        new ShardState()
                                .leased("a", T0 - 5, "w0-1", OVER, 2, "+", "E: no")
                                .leased("b", T0 - 5, "w0-1", OVER, 1, "/1/0+", ""),
                        polls(poll -> poll),
                        "reclaimed a b, due 0, lease never",
                        scheduledAgain(
                                "a",
                                scheduledAgain(
                                        "b",
                                        new ShardState()
                                                .retrying("a", T0, 2, "E: no")
                                                .crashed("b", T0, 1, "/1/0", "")))),
                new Row(
                        "its attempts are spent",
                        new ShardState().leased("a", T0 - 5, "w0-1", OVER, 3, "+", "E: no"),
                        polls(poll -> poll),
                        "deadLettered a:ATTEMPTS_SPENT, due never, lease never",
                        new ShardState().deadLetter("a", "w0-1", T0, "ATTEMPTS_SPENT", 3, T0 - 5, "E: no")),
                new Row(
                        "a retry ends the suspicion",
                        new ShardState().leased("a", T0 - 5, "w1-1", OVER, 2, "/2/1!", ""),
                        polls(poll -> poll.retry("a", "w1-1", 7)),
                        "due 7, lease never",
                        scheduledAgain("a", new ShardState().retrying("a", T0 + 7, 2, "E: no"))),
                new Row(
                        "a release does not",
                        new ShardState()
                                .leased("a", T0 - 5, "w1-1", OVER, 2, "/2/1!", "E: no")
                                .leased("b", T0 - 5, "w1-1", OVER, 1, "/1/0", ""),
                        polls(poll -> poll.release("a", "w1-1").release("b", "w1-1")),
                        "due -5, lease never, suspects left",
                        new ShardState()
                                .suspect("a", T0 - 5, 1, "/2/1", "E: no")
                                .crashed("b", T0 - 5, 0, "/1/0", "")),
                new Row(
                        "neither does a postponement, until the message is due again",
                        new ShardState()
                                .leased("a", T0 - 5, "w1-1", OVER, 1, "/2/1!", "")
                                .leased("b", T0 - 5, "w1-1", OVER, 1, "p1/2/1!", "")
                                .crashed("c", T0 - 5, 0, "p1/2/1", ""),
                        polls(poll -> poll.postpone("a", "w1-1", 7, 2)
                                .postpone("b", "w1-1", 0, 2)
                                .claim(1)),
                        "due 7, lease never, suspects left",
                        scheduledAgain(
                                "a",
                                scheduledAgain(
                                        "b",
                                        new ShardState()
                                                .crashed("a", T0 + 7, 0, "p1/2/1", "")
                                                .suspect("b", T0, 0, "p2/2/1", "")
                                                .suspect("c", T0 - 5, 0, "p1/2/1", "")))),
                new Row(
                        "crashes are counted apart from postponements",
                        new ShardState().leased("a", T0 - 5, "w0-1", OVER, 1, "p2/1/0", ""),
                        polls(poll -> poll),
                        "reclaimed a, due never, lease never, suspects left",
                        scheduledAgain("a", new ShardState().suspect("a", T0, 0, "p2/2/0", ""))),
                new Row(
                        "crashes that a foreign client wrote are ignored",
                        new ShardState().retrying("a", T0 - 5, 1, "").put("deliveries", "a", "- 1/x/! " + T0 + " E"),
                        polls(poll -> poll.claim(1).claimSuspect()),
                        "claimed a#1@-5, due never, lease 30000",
                        new ShardState().leased("a", T0 - 5, "w1-3", T0 + 30_000)));
    }

    /** With the message as it was sent, due 5 ms before {@code T0}. */
    private static ShardState scheduledAgain(String id, ShardState state) {
        return state.put("messages", id, stored(id, T0 - 5));
    }

    private static Stream<Row> leftovers() {
        ShardState deadLettered = new ShardState().deadLetter("a", "w0-1", T0 - 9, "REQUESTED", 1, T0 - 5, "E: why");
        return Stream.of(
                new Row(
                        "a lease without a message is swept",
                        new ShardState().put("leases", "a", OVER).put("deliveries", "a", "w0-1 1 " + T0 + " "),
                        polls(poll -> poll),
                        "due never, lease never",
                        new ShardState()),
                new Row(
                        "a lease without a delivery, scheduled too: the lease goes",
                        new ShardState().scheduled("a", T0 + 7).put("leases", "a", OVER),
                        polls(poll -> poll),
                        "due 7, lease never",
                        new ShardState().scheduled("a", T0 + 7)),
                new Row(
                        "a lease that was handed back, scheduled too: the lease goes",
                        new ShardState().retrying("a", T0 + 7, 1, "E: no").put("leases", "a", OVER),
                        polls(poll -> poll),
                        "due 7, lease never",
                        new ShardState().retrying("a", T0 + 7, 1, "E: no")),
                new Row(
                        "a lease without a delivery or a schedule: due now",
                        new ShardState().put("messages", "a", stored("a", T0)).put("leases", "a", OVER),
                        polls(poll -> poll),
                        "due 0, lease never",
                        new ShardState().scheduled("a", T0)),
                new Row(
                        "a dead-letter that stopped after the dead letter is finished with its cause",
                        new ShardState()
                                .deadLetter("a", "w0-1", T0 - 9, "REQUESTED", 1, T0 - 5, "E: why")
                                .leased("a", T0 - 5, "w0-1", OVER),
                        polls(poll -> poll),
                        "deadLettered a:REQUESTED, due never, lease never",
                        deadLettered),
                new Row(
                        "a dead-letter that stopped before the dead letter is finished",
                        new ShardState().put("dead", "a@w0-1", T0 - 9).leased("a", T0 - 5, "w0-1", OVER, 1, "E: no"),
                        polls(poll -> poll),
                        "deadLettered a:CRASHED, due never, lease never",
                        new ShardState().deadLetter("a", "w0-1", T0, "CRASHED", 1, T0 - 5, "E: no")));
    }

    private static Function<StoreBench, Object> polls(UnaryOperator<Polls> change) {
        return bench -> Told.of(bench.poll(change.apply(Polls.by("w1", 3))));
    }

    @Test
    void afterAGapNothingIsReclaimedUntilLivingOwnersHadTimeToRenew() {
        bench.given(new ShardState().leased("a", T0, "w0-1", T0 + 4000));
        bench.clock(T0 + 5001);
        assertThat(Told.of(bench.poll(Polls.by("w1", 1)))).isEqualTo("due never, lease 7001");
        assertThat(bench.meta("meta")).containsEntry("grace", "" + (T0 + 15_001));
        bench.clock(T0 + 10_001);
        bench.poll(Polls.by("w1", 2));
        bench.clock(T0 + 15_000);
        assertThat(Told.of(bench.poll(Polls.by("w1", 3)))).isEqualTo("due never, lease 4000");
        bench.clock(T0 + 15_001);
        assertThat(Told.of(bench.poll(Polls.by("w1", 4)))).startsWith("reclaimed a,");
    }

    @Test
    void aGapIsNoticedByABusyPollToo() {
        bench.given(new ShardState().leased("a", T0, "w0-1", T0 + 4000).scheduled("b", T0 + 5001));
        bench.clock(T0 + 5001);
        assertThat(Told.of(bench.poll(Polls.by("w1", 1).claim(1))))
                .isEqualTo("claimed b#1@5001, due never, lease 7001");
        assertThat(bench.meta("meta")).containsEntry("grace", "" + (T0 + 15_001));
    }

    /** As where clients receive now and then. */
    @Test
    void aGapWithoutLeasesIsNone() {
        bench.given(new ShardState().scheduled("a", T0));
        bench.clock(T0 + 60_000);
        assertThat(Told.of(bench.poll(Polls.by("w1", 1).claim(1)))).startsWith("claimed a#1@");
        assertThat(bench.meta("meta")).doesNotContainKey("grace");
    }

    @Test
    void noGapWhileItIsPollped() {
        bench.given(new ShardState().leased("a", T0, "w0-1", T0 + 4000));
        bench.clock(T0 + 5000);
        assertThat(Told.of(bench.poll(Polls.by("w1", 1)))).startsWith("reclaimed a,");
    }

    @Test
    void whenTheClockWentBackNothingIsReclaimedForAWhile() {
        bench.given(new ShardState().leased("a", T0, "w0-1", T0 - 8000));
        bench.clock(T0 - 1);
        assertThat(Told.of(bench.poll(Polls.by("w1", 1)))).isEqualTo("due never, lease -8001");
        // in lease time, which did not go back
        assertThat(bench.meta("meta"))
                .containsEntry("grace", "" + (T0 + 10_000))
                .containsEntry("jumped", "-1");
    }

    @Test
    void aRenewalWithinTheGraceKeepsTheLease() {
        bench.given(new ShardState().leased("a", T0, "w0-1", T0 + 4000));
        bench.clock(T0 + 60_000);
        bench.poll(Polls.by("w1", 1));
        assertThat(Told.of(bench.poll(Polls.by("w0", 2).renew("a", "w0-1", 30_000))))
                .isEqualTo("due never, lease 90000");
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
        assertThat(Told.of(bench.poll(Polls.by("w1", 2).claim(1)))).isEqualTo("due 0, lease never");
        assertThat(Told.of(bench.poll(Polls.by("w1", 3).claim(1)))).startsWith("claimed a#1@0");
    }

    @Test
    void consumersDoNotDisturbEachOthersSequences() {
        bench.given(new ShardState().scheduled("a", T0).scheduled("b", T0));
        bench.poll(Polls.by("w1", 9).claim(1));
        assertThat(Told.of(bench.poll(Polls.by("w2", 1).claim(1)))).startsWith("claimed b#1@0");
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
        String first = Told.of(bench.poll(poll));
        assertThat(first)
                .isEqualTo(
                        "claimed a#1@-3 b#2@-2(E: no), gone x, lost y, deadLettered d:REQUESTED, due never, lease 30000");
        bench.given(new ShardState().scheduled("e", T0));
        bench.poll(Polls.by("w2", 1).claim(1));
        assertThat(Told.of(bench.poll(poll))).isEqualTo(first);
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
