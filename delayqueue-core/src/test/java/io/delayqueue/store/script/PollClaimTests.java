package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.message;
import static io.delayqueue.store.bench.ShardState.record;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.delayqueue.store.Claim;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.UnreadableMessageException;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Row;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.store.bench.Told;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The state table of {@code poll.lua} where it claims. */
class PollClaimTests extends ScriptTable {

    private static final long END = T0 + 30_000;

    static Stream<Row> table() {
        return Stream.of(order(), attempts(), limits(), expiry(), leftovers()).flatMap(rows -> rows);
    }

    private static Stream<Row> order() {
        return Stream.of(
                Row.unchanged("nothing is there", new ShardState(), claims(10), "due never, lease never"),
                Row.unchanged("never early", new ShardState().scheduled("a", T0 + 1), claims(10), "due 1, lease never"),
                Row.unchanged("none wanted", new ShardState().scheduled("a", T0), claims(0), "due 0, lease never"),
                new Row(
                        "by due time, those of one due time by id",
                        new ShardState()
                                .scheduled("b", T0)
                                .scheduled("a", T0)
                                .scheduled("z", T0 - 1)
                                .scheduled("later", T0 + 5),
                        claims(10),
                        "claimed z#1@-1 a#1@0 b#1@0, due 5, lease 30000",
                        new ShardState()
                                .leased("z", T0 - 1, "w1-1", END)
                                .leased("a", T0, "w1-1", END)
                                .leased("b", T0, "w1-1", END)
                                .scheduled("later", T0 + 5)),
                new Row(
                        "no more than wanted",
                        new ShardState().scheduled("a", T0 - 2).scheduled("b", T0 - 1),
                        claims(1),
                        "claimed a#1@-2, due -1, lease 30000",
                        new ShardState().leased("a", T0 - 2, "w1-1", END).scheduled("b", T0 - 1)));
    }

    private static Stream<Row> attempts() {
        return Stream.of(
                new Row(
                        "the attempt after two, with the last failure",
                        new ShardState().retrying("a", T0 - 1, 2, "E: no\nreally"),
                        claims(10),
                        "claimed a#3@-1(E: no\nreally), due never, lease 30000",
                        new ShardState().leased("a", T0 - 1, "w1-1", END, 3, "E: no\nreally")),
                new Row(
                        "attempts are counted on without a failure",
                        new ShardState().retrying("a", T0 - 1, 9, ""),
                        claims(10),
                        "claimed a#10@-1, due never, lease 30000",
                        new ShardState().leased("a", T0 - 1, "w1-1", END, 10, "")));
    }

    private static Stream<Row> limits() {
        String own = message("+n a=4 l=9000", T0, T0, "x: l=7\n\na");
        return Stream.of(new Row(
                "the message's own lease, and only from its head",
                new ShardState()
                        .put("schedule", "a", T0)
                        .put("messages", "a", own)
                        .put("schedule", "b", T0)
                        .put("messages", "b", message("n", T0, T0, "x: l=7\n\n l=5 ")),
                claims(10),
                "claimed a#1@0 b#1@0, due never, lease 9000",
                new ShardState()
                        .leased("a", T0, "w1-1", T0 + 9000)
                        .put("messages", "a", own)
                        .leased("b", T0, "w1-1", END)
                        .put("messages", "b", message("n", T0, T0, "x: l=7\n\n l=5 "))));
    }

    private static Stream<Row> expiry() {
        String late = message("+n x=100", T0, T0 - 100, "\na");
        String tooLate = message("+n x=100", T0 - 900, T0 - 101, "\na");
        String date = message("+n e=" + T0, T0, T0, "\na");
        String passed = message("+n a=2 e=" + (T0 - 1), T0 - 900, T0, "\na");
        return Stream.of(
                new Row(
                        "as late as tolerated is claimed",
                        one(T0 - 100, late),
                        claims(10),
                        "claimed a#1@-100, due never, lease 30000",
                        new ShardState().leased("a", T0, "w1-1", END).put("messages", "a", late)),
                new Row(
                        "later is dead, counted from the first due time",
                        one(T0, tooLate).put("deliveries", "a", "- 2 " + T0 + " E: no"),
                        claims(10),
                        "deadLettered a:EXPIRED, due never, lease never",
                        new ShardState()
                                .put("dead", "a@n." + (T0 - 900), T0)
                                .put(
                                        "deadLetters",
                                        "a@n." + (T0 - 900),
                                        record(T0, "EXPIRED", 2, T0, "E: no", tooLate))),
                new Row(
                        "at the expiry date is claimed",
                        one(T0, date),
                        claims(10),
                        "claimed a#1@0, due never, lease 30000",
                        new ShardState().leased("a", T0, "w1-1", END).put("messages", "a", date)),
                new Row(
                        "after the expiry date is dead, its neighbours are claimed",
                        one(T0, passed).scheduled("b", T0),
                        claims(10),
                        "claimed b#1@0, deadLettered a:EXPIRED, due never, lease 30000",
                        new ShardState()
                                .leased("b", T0, "w1-1", END)
                                .put("dead", "a@n." + (T0 - 900), T0)
                                .put("deadLetters", "a@n." + (T0 - 900), record(T0, "EXPIRED", 0, T0, "", passed))));
    }

    private static Stream<Row> leftovers() {
        return Stream.of(
                new Row(
                        "an id without a message is swept, its neighbours are claimed",
                        new ShardState()
                                .put("schedule", "a", T0 - 1)
                                .put("leases", "a", T0 + 1)
                                .put("deliveries", "a", "w0-1 1 " + T0 + " ")
                                .scheduled("b", T0),
                        claims(10),
                        "claimed b#1@0, due never, lease 30000",
                        new ShardState().leased("b", T0, "w1-1", END)),
                new Row(
                        "scheduled and leased counts as scheduled: the old token is replaced",
                        new ShardState()
                                .leased("a", T0 - 1, "w0-1", T0 + 9, 1, "E: no")
                                .put("schedule", "a", T0),
                        claims(10),
                        "claimed a#2@-1(E: no), due never, lease 30000",
                        new ShardState().leased("a", T0 - 1, "w1-1", END, 2, "E: no")),
                new Row(
                        "a delivery of a foreign client does not hide the next one",
                        new ShardState()
                                .scheduled("a", T0 - 2)
                                .put("deliveries", "a", "what?")
                                .retrying("b", T0 - 1, 2, "E: no"),
                        claims(10),
                        "claimed a#1@-2 b#3@-1(E: no), due never, lease 30000",
                        new ShardState().leased("a", T0 - 2, "w1-1", END).leased("b", T0 - 1, "w1-1", END, 3, "E: no")),
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
        return new ShardState()
                .put("schedule", "b", T0 - 6)
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

    private static ShardState one(long due, String message) {
        return new ShardState().put("schedule", "a", due).put("messages", "a", message);
    }

    private static Function<StoreBench, Object> claims(int max) {
        return bench -> Told.of(bench.poll(Polls.by("w1", 1).claim(max)));
    }

    @Test
    void aClaimIsReadWithAllThatIsStored() {
        bench.store().awaitSend(bench.shard(), List.of(Sends.at("a", T0)));
        Claim claim = bench.poll(Polls.by("w1", 71).claim(1)).claims().get(0);
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
        bench.store()
                .awaitSend(
                        bench.shard(),
                        IntStream.range(0, 20)
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
        bench.store()
                .awaitSend(
                        bench.shard(),
                        List.of(Sends.large("a", T0, 5000), Sends.large("b", T0, 10), Sends.large("c", T0, 10)));
        assertThat(Told.of(bench.poll(Polls.by("w1", 1).claim(500).bytes(100)))).startsWith("claimed a#1@0, due 0");
        assertThat(Told.of(bench.poll(Polls.by("w1", 2).claim(500).bytes(1000))))
                .startsWith("claimed b#1@0 c#1@0,");
    }

    @Test
    void theClockRunsOnRedis() {
        bench.given(new ShardState().scheduled("a", T0 + 1));
        assertThat(bench.poll(Polls.by("w1", 1).claim(1)).claims()).isEmpty();
        bench.clock(T0 + 1);
        PollReply reply = bench.poll(Polls.by("w1", 2).claim(1).lease(Duration.ofSeconds(7)));
        assertThat(reply.claims()).hasSize(1);
        assertThat(reply.nowMicros()).isEqualTo((T0 + 1) * 1000);
        assertThat(reply.untilNextLeaseEnd()).isEqualTo(Duration.ofSeconds(7));
    }

    /** As only a foreign client writes them. */
    @Test
    void numbersOutOfRangeStopNoPoll() {
        bench.given(new ShardState()
                .retrying("a", T0 - 5, 1, "")
                .put("deliveries", "a", "- 99999999999 5 ")
                .scheduled("b", T0 - 4)
                .put("schedule", "b", "-inf")
                .scheduled("c", T0 - 3));

        PollReply reply = bench.poll(Polls.by("w1", 2).claim(10).claimSuspect());

        assertThat(reply.claims())
                .extracting(Claim::id, Claim::attempt)
                .containsExactly(tuple("b", 1), tuple("a", Integer.MAX_VALUE), tuple("c", 1));
    }
}
