package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.failed;
import static io.delayqueue.store.bench.ShardState.message;
import static io.delayqueue.store.bench.ShardState.record;
import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.delayqueue.store.Claim;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.UnreadableMessageException;
import io.delayqueue.store.bench.PollReplyText;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Row;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The state table of {@code poll.lua} where it claims. */
class PollClaimTests extends ScriptTable {

    private static final long END = T0 + 30_000;

    static Stream<Row> table() {
        return Stream.of(order(), heads(), leftovers()).flatMap(rows -> rows);
    }

    private static Stream<Row> order() {
        return Stream.of(
                Row.unchanged("nothing is there", new ShardState(), claims(10), "due never, lease never"),
                Row.unchanged("never early", state("scheduled a 1"), claims(10), "due 1, lease never"),
                Row.unchanged("none wanted", state("scheduled a 0"), claims(0), "due 0, lease never"),
                new Row(
                        "by due time, those of one due time by id",
                        state("scheduled b 0, scheduled a 0, scheduled z -1, scheduled later 5"),
                        claims(10),
                        "claimed z#1@-1 a#1@0 b#1@0, due 5, lease 30000",
                        state("leased z -1 w1-1 30000, leased a 0 w1-1 30000, leased b 0 w1-1 30000, "
                                + "scheduled later 5")),
                new Row(
                        "no more than wanted",
                        state("scheduled a -2, scheduled b -1"),
                        claims(1),
                        "claimed a#1@-2, due -1, lease 30000",
                        state("leased a -2 w1-1 30000, scheduled b -1")));
    }

    private static Stream<Row> heads() {
        String own = message("+n a=4 l=9000", T0, T0, "x: l=7\n\na");
        String late = message("+n x=100", T0, T0 - 100, "\na");
        String tooLate = message("+n x=100", T0 - 900, T0 - 101, "\na");
        String date = message("+n e=" + T0, T0, T0, "\na");
        String passed = message("+n a=2 e=" + (T0 - 1), T0 - 900, T0, "\na");
        return Stream.of(
                new Row(
                        "attempts are counted on, the last failure is told; the message's own lease, only from its head",
                        state("retrying a -2 2 E: no < E: old, retrying b -1 9, scheduled c 0")
                                .put("messages", "c", own)
                                .scheduled("d", T0)
                                .put("messages", "d", message("n", T0, T0, "x: l=7\n\n l=5 ")),
                        claims(10),
                        "claimed a#3@-2(E: no) b#10@-1 c#1@0 d#1@0, due never, lease 9000",
                        state("leased a -2 w1-1 30000 3 E: no < E: old, leased b -1 w1-1 30000 10, "
                                        + "leased c 0 w1-1 9000")
                                .put("messages", "c", own)
                                .leased("d", T0, "w1-1", END)
                                .put("messages", "d", message("n", T0, T0, "x: l=7\n\n l=5 "))),
                new Row(
                        "as late as tolerated and at the expiry date is claimed, later is dead, counted from the first due",
                        state("schedule late -100")
                                .put("messages", "late", late)
                                .retrying("too late", T0, 2, "E: no")
                                .put("messages", "too late", tooLate)
                                .put("schedule", "date", T0)
                                .put("messages", "date", date)
                                .put("schedule", "passed", T0)
                                .put("messages", "passed", passed),
                        claims(10),
                        "claimed late#1@-100 date#1@0, deadLettered passed:EXPIRED too late:EXPIRED, due never, lease 30000",
                        state("leased late 0 w1-1 30000")
                                .put("messages", "late", late)
                                .leased("date", T0, "w1-1", END)
                                .put("messages", "date", date)
                                .put("dead", "too late@n." + (T0 - 900), T0)
                                .put("dead", "passed@n." + (T0 - 900), T0)
                                .put(
                                        "deadLetters",
                                        "too late@n." + (T0 - 900),
                                        record(T0, "EXPIRED", 2, T0, failed("E: no", failed(2, "E: no")), tooLate))
                                .put(
                                        "deadLetters",
                                        "passed@n." + (T0 - 900),
                                        record(T0, "EXPIRED", 0, T0, "", passed))));
    }

    private static Stream<Row> leftovers() {
        return Stream.of(
                new Row(
                        "without a message: swept; also leased: the token is replaced; a foreign delivery hides no other",
                        state("schedule a -4, leases a 1")
                                .put("deliveries", "a", "w0-1 1 " + T0 + " ")
                                .and("leased b -3 w0-1 9 1 " + failed(1, "E: no") + ", schedule b 0, scheduled c -2")
                                .put("deliveries", "c", "what?")
                                .retrying("d", T0 - 1, 2, "E: no"),
                        claims(10),
                        "claimed c#1@-2 d#3@-1(E: no) b#2@-3(E: no), due never, lease 30000",
                        state("leased b -3 w1-1 30000 2 E: no, leased c -2 w1-1 30000, "
                                + "leased d -1 w1-1 30000 3 E: no")),
                new Row(
                        "a message of a foreign client is claimed unchanged and does not affect others",
                        foreign(),
                        claims(10),
                        "claimed b#1@0 c#1@0 d#1@" + FOREIGN_DUE + " e#1@" + FOREIGN_DUE
                                + " f#1@0 g#1@0 z#1@0, due never, lease 5",
                        leasedForeign()));
    }

    /** The due time in twelve dots, relative to {@code T0}. */
    private static final long FOREIGN_DUE = 0x2e2e2e2e2e2eL - T0;

    private static ShardState foreign() {
        return state("schedule b -6")
                .put("messages", "b", "")
                .put("schedule", "c", T0 - 5)
                .put("messages", "c", "{}")
                .put("schedule", "d", T0 - 4)
                .put("messages", "d", "1............+")
                .put("schedule", "e", T0 - 3)
                .put("messages", "e", "1............+n l=5")
                .put("schedule", "f", T0 - 2)
                .put("messages", "f", "?............+n x=5 e=1 l=5\n")
                .put("schedule", "g", T0 - 1)
                .put("messages", "g", "g")
                .put("deliveries", "g", "what?")
                .scheduled("z", T0);
    }

    private static ShardState leasedForeign() {
        ShardState state = new ShardState();
        foreign().get("messages").forEach((id, message) -> {
            String due = foreign().get("schedule").get(id);
            state.leased(id, Long.parseLong(due), "w1-1", id.equals("e") ? T0 + 5 : END)
                    .put("messages", id, message);
        });
        return state;
    }

    private static Function<StoreBench, Object> claims(int max) {
        return bench -> PollReplyText.of(bench.poll(Polls.by("w1", 1).claim(max)));
    }

    @Test
    void aClaimIsReadWithAllThatIsStored() {
        bench.send(Sends.at("a", T0));
        PollReply reply = bench.poll(Polls.by("w1", 71).claim(1));
        Claim claim = reply.claims().get(0);
        assertThat(reply.nowMicros()).isEqualTo(T0 * 1000);
        assertThat(claim.token()).isEqualTo("w1-1z");
        assertThat(claim.envelope().payload()).asString().isEqualTo("a");
        assertThat(claim.envelope().dueAt().toEpochMilli()).isEqualTo(T0);
    }

    @Test
    void aForeignMessageIsReportedAsUnreadable() {
        bench.given(foreign());
        List<Claim> claims = bench.poll(Polls.by("w1", 1).claim(10)).claims();
        assertThat(claims.subList(0, 6))
                .allSatisfy(
                        claim -> assertThatThrownBy(claim::envelope).isInstanceOf(UnreadableMessageException.class));
    }

    @Test
    void claimsStayWithinTheByteBound() {
        bench.send(IntStream.range(0, 20)
                .mapToObj(i -> Sends.large("m" + (char) ('a' + i), T0, 200 * 1024))
                .toList());
        PollReply first = bench.poll(Polls.by("w1", 1).claim(500));
        assertThat(first.claims()).hasSize(10);
        assertThat(first.untilNextDue()).isZero();
        assertThat(bench.poll(Polls.by("w1", 2).claim(500)).claims()).hasSize(9 + 1);
        assertThat(bench.poll(Polls.by("w1", 3).claim(500)).claims()).isEmpty();
    }

    @Test
    void oneThatBreaksTheByteBoundIsClaimedAlone() {
        bench.send(Sends.large("a", T0, 5000), Sends.large("b", T0, 10), Sends.large("c", T0, 10));
        assertThat(PollReplyText.of(bench.poll(Polls.by("w1", 1).claim(500).bytes(100))))
                .startsWith("claimed a#1@0, due 0");
        assertThat(PollReplyText.of(bench.poll(Polls.by("w1", 2).claim(500).bytes(1000))))
                .startsWith("claimed b#1@0 c#1@0,");
    }

    /** As only a foreign client writes them. */
    @Test
    void numbersOutOfRangeStopNoPoll() {
        bench.given(state("retrying a -5 1")
                .put("deliveries", "a", "- 99999999999 5 ")
                .scheduled("b", T0 - 4)
                .put("schedule", "b", "-inf")
                .scheduled("c", T0 - 3)
                .scheduled("d", T0 - 2)
                .put("schedule", "d", T0 - 2 + ".25"));

        PollReply reply = bench.poll(Polls.by("w1", 2).claim(10).claimSuspect());

        assertThat(reply.claims())
                .extracting(Claim::id, Claim::attempt)
                .containsExactly(tuple("b", 1), tuple("a", Integer.MAX_VALUE), tuple("c", 1), tuple("d", 1));
    }

    @Test
    void missingSentinelOfTheLeasesIsRestored() {
        bench.given(state("leased a 0 w1-1 30000, scheduled b -1"));
        bench.redis().call("ZREM", bench.key("leases"), ShardCalls.SENTINEL);

        PollReply reply = bench.poll(Polls.by("w1", 2).claim(10).acknowledge("a", "w1-1"));

        assertThat(reply.rejected()).isEmpty();
        assertThat(reply.nextDueMillis()).as("the claim was not begun").isEqualTo(T0 - 1);
        assertThat(bench.poll(Polls.by("w1", 3).claim(10)).claims())
                .extracting(Claim::id)
                .containsExactly("b");
        assertThat(bench.redis().call("ZCARD", bench.key("leases"))).isEqualTo(2L);
    }
}
