package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.message;
import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.message.TopicLimits.Rate;
import io.delayqueue.store.Claim;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.bench.Calls;
import io.delayqueue.store.bench.PollReplyText;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Row;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The state table of {@code poll.lua} in a topic with limits. */
class PollLimitTests extends ScriptTable {

    private static final long END = T0 + 30_000;

    static Stream<Row> table() {
        return Stream.of(places(), tokens(), holds()).flatMap(rows -> rows);
    }

    private static Stream<Row> places() {
        ShardState oneLeased = state("leased a 0 w0-1 9, scheduled b 0");
        return Stream.of(
                new Row(
                        "as many leases as permitted, then no due time: a lease that ends causes a signal",
                        state("scheduled a -2, scheduled b -1, scheduled c 0"),
                        limited("2 0 1 0", Polls.by("w1", 1).claim(10)),
                        "claimed a#1@-2 b#1@-1, due never, lease 30000, limited",
                        state("leased a -2 w1-1 30000, leased b -1 w1-1 30000, scheduled c 0")),
                Row.unchanged(
                        "each place taken",
                        oneLeased,
                        limited("1 0 1 0", Polls.by("w1", 1).claim(10)),
                        "due never, lease 9, limited"),
                new Row(
                        "the settlements of the poll give back their places",
                        oneLeased,
                        limited("1 0 1 0", Polls.by("w1", 1).claim(10).acknowledge("a", "w0-1")),
                        "claimed b#1@0, due never, lease 30000, limited",
                        state("leased b 0 w1-1 30000")),
                new Row(
                        "so does a dead letter, but not a settlement with another token",
                        state("leased a 0 w0-1 9, leased z 0 w0-2 9, scheduled b 0, scheduled c 0"),
                        limited(
                                "2 0 1 0",
                                Polls.by("w1", 1)
                                        .claim(10)
                                        .release("a", "w0-1", 5)
                                        .acknowledge("z", "w9-9")),
                        "claimed b#1@0, gone z, due never, lease 9, limited",
                        state("leased z 0 w0-2 9, schedule a 5")
                                .put("messages", "a", ShardState.stored("a", T0))
                                .put("deliveries", "a", "- 0 " + (T0 + 5) + " ")
                                .and("leased b 0 w1-1 30000, scheduled c 0")),
                Row.unchanged(
                        "a lease that has ended keeps its place until it is reclaimed",
                        state("leased a 0 w0-1 -1, scheduled b 0"),
                        limited("1 0 1 0", Polls.by("w1", 1).claim(10).reclaim(0)),
                        "due never, lease -1, limited"),
                new Row(
                        "a reclaimed lease gives back its place for the next poll",
                        state("leased a 0 w0-1 -1, scheduled b 0"),
                        limited("1 0 1 0", Polls.by("w1", 1).claim(10)),
                        "reclaimed a, due 0, lease never, limited",
                        state("crashed a 0 0 /1/0, scheduled b 0")),
                new Row(
                        "nothing is claimed in advance",
                        state("scheduled a -2, scheduled b -1, scheduled c 0"),
                        limited("9 0 1 0", Polls.by("w1", 1).claim(10).handlers(1)),
                        "claimed a#1@-2, due -1, lease 30000, limited",
                        state("leased a -2 w1-1 30000, scheduled b -1, scheduled c 0")),
                new Row(
                        "a suspect takes a place, too",
                        state("suspect a 0 0 /2/0, scheduled b 0"),
                        limited("1 0 1 0", Polls.by("w1", 1).claim(10).claimSuspect()),
                        "claimed a!#1@0, due never, lease 30000, limited",
                        state("leases a 30000")
                                .put("messages", "a", ShardState.stored("a", T0))
                                .put("deliveries", "a", "w1-1 1/2/0! " + T0 + " ")
                                .scheduled("b", T0)),
                Row.unchanged(
                        "suspects of a closed topic cause no polls",
                        state("leased a 0 w0-1 9, suspect b 0 0 /2/0"),
                        limited("1 0 1 0", Polls.by("w1", 1).claim(10).claimSuspect()),
                        "due never, lease 9, limited"));
    }

    private static Stream<Row> tokens() {
        String passed = message("+n e=" + (T0 - 1), T0 - 900, T0, "\na");
        return Stream.of(
                new Row(
                        "a burst, then the time of the next token",
                        state("scheduled a -2, scheduled b -1, scheduled c 0"),
                        limited("0 1000001 2 0", Polls.by("w1", 1).claim(10)),
                        "claimed a#1@-2 b#1@-1, due 1001, lease 30000, limited",
                        state("leased a -2 w1-1 30000, leased b -1 w1-1 30000, scheduled c 0")),
                Row.unchanged(
                        "a message that is due after the next token keeps its due time",
                        state("scheduled a 5000"),
                        limited("0 1000000 1 0", Polls.by("w1", 1).claim(10)),
                        "due 5000, lease never, limited"),
                new Row(
                        "an expired message takes no token",
                        state("schedule a -1").put("messages", "a", passed).scheduled("b", T0),
                        limited("0 1000000 2 0", Polls.by("w1", 1).claim(10)),
                        "claimed b#1@0, deadLettered a:EXPIRED, due never, lease 30000, limited",
                        new ShardState()
                                .put("dead", "a@n." + (T0 - 900), T0)
                                .put(
                                        "deadLetters",
                                        "a@n." + (T0 - 900),
                                        ShardState.record(T0, "EXPIRED", 0, T0, "", passed))
                                .leased("b", T0, "w1-1", END)),
                new Row(
                        "places and tokens at once: the lesser of both",
                        state("scheduled a -2, scheduled b -1, scheduled c 0"),
                        limited("2 1000000 1 0", Polls.by("w1", 1).claim(10)),
                        "claimed a#1@-2, due 1000, lease 30000, limited",
                        state("leased a -2 w1-1 30000, scheduled b -1, scheduled c 0")));
    }

    private static Stream<Row> holds() {
        return Stream.of(new Row(
                "a hold releases the message without an attempt, and nothing is claimed until it ends",
                state("leased a 0 w0-1 9, scheduled b 0"),
                bench -> PollReplyText.of(bench.poll(Polls.by("w1", 1).claim(10).hold("a", "w0-1", 700))),
                "due 700, lease never, limited",
                state("schedule a 700")
                        .put("messages", "a", ShardState.stored("a", T0))
                        .put("deliveries", "a", "- 0 " + (T0 + 700) + " ")
                        .scheduled("b", T0)));
    }

    @Test
    void eachClaimTakesATokenOnce() {
        limit("0 1000000 3 0");
        bench.given(state("scheduled a 0, scheduled b 0, scheduled c 0"));
        bench.poll(Polls.by("w1", 1).claim(2));
        String arrival = bench.meta("meta").get("arrival");
        bench.poll(Polls.by("w1", 1).claim(2));
        assertThat(arrival).isEqualTo((T0 + 2000) + "000");
        assertThat(bench.meta("meta")).containsEntry("arrival", arrival);

        bench.poll(Polls.by("w1", 2).release("a", "w1-1").release("b", "w1-1"));
        assertThat(bench.meta("meta")).as("a release gives no token back").containsEntry("arrival", arrival);
        assertThat(claimed(bench.poll(Polls.by("w1", 3).claim(9)))).containsExactly("a");
    }

    @Test
    void theRateFollowsTheSteadyClock() {
        limit("0 60000000 1 0");
        bench.given(state("scheduled a -9, scheduled b -8"));
        assertThat(claimed(bench.poll(Polls.by("w1", 1).claim(1)))).containsExactly("a");
        bench.clock(T0 + 3_600_000);
        PollReply early = bench.poll(Polls.by("w1", 2).claim(1).after(1000));
        assertThat(early.claims()).isEmpty();
        assertThat(early.nextDueMillis()).isEqualTo(T0 + 3_600_000 + 59_000);
        bench.clock(T0 + 3_600_000 + 59_000);
        assertThat(claimed(bench.poll(Polls.by("w1", 3).claim(1).after(59_000))))
                .containsExactly("b");
    }

    /** Polls as a poller does, when the script says that the rate reopens, but up to 3 ms late. */
    private static List<Long> starts(Rate rate, int messages) {
        limit(new TopicLimits(null, rate, null).scriptText());
        ShardState due = new ShardState();
        for (int i = 0; i < messages; i++) {
            due.scheduled("m" + i, T0 - messages + i);
        }
        bench.given(due);
        Random lateness = new Random(messages);
        List<Long> starts = new ArrayList<>();
        Polls poll = Polls.by("w1", 1);
        long now = T0;
        for (int sequence = 2; starts.size() < messages; sequence++) {
            PollReply reply = bench.poll(poll.claim(500));
            poll = Polls.by("w1", sequence);
            for (Claim claim : reply.claims()) {
                starts.add(now);
                poll.acknowledge(claim.id(), claim.token());
            }
            long next = Math.max(now, reply.nextDueMillis()) + lateness.nextInt(4);
            if (starts.size() < messages) {
                poll.after(next - now);
                now = next;
                bench.clock(now);
            }
        }
        return starts;
    }

    @ParameterizedTest
    @ValueSource(strings = {"1/1s", "5/1s", "19/1s", "20/1s", "300/1s", "100/1m"})
    void whileMessagesWaitEachPeriodHoldsAtLeastNineTenthsOfTheRate(String text) {
        Rate rate = Rate.parse(text);
        List<Long> starts = starts(rate, 4 * rate.count());
        long period = rate.period().toMillis();
        long last = starts.get(starts.size() - 1);
        assertThat(starts.stream()
                        .filter(start -> start + period <= last)
                        .map(start -> starts.stream()
                                .filter(other -> other >= start && other < start + period)
                                .count()))
                .isNotEmpty()
                .allSatisfy(count -> assertThat(count).isBetween((9L * rate.count() + 9) / 10, (long) rate.count()));
    }

    @Test
    void aShorterIntervalAppliesAtOnce() {
        limit("0 3600000000 1 0");
        bench.given(state("scheduled a -9, scheduled b -8"));
        bench.poll(Polls.by("w1", 1).claim(1));
        limit("0 1000000 1 0");
        assertThat(bench.poll(Polls.by("w1", 2).claim(1)).nextDueMillis()).isEqualTo(T0 + 1000);
    }

    @Test
    void theLongestHoldApplies() {
        bench.given(state("leased a 0 w0-1 30000, leased b 0 w0-2 30000"));
        bench.poll(Polls.by("w1", 1).hold("a", "w0-1", 700));
        assertThat(bench.poll(Polls.by("w1", 2).claim(9).hold("b", "w0-2", 100)).nextDueMillis())
                .isEqualTo(T0 + 700);
        assertThat(bench.meta("meta")).containsEntry("hold", T0 + 700 + " 1 b");
    }

    @Test
    void theHoldsOfOneMessageAreCounted() {
        bench.given(state("scheduled a 0"));
        for (int i = 1; i <= 3; i++) {
            bench.clock(T0 + 1000 * i);
            PollReply reply = bench.poll(Polls.by("w1", 2 * i).claim(1));
            bench.poll(Polls.by("w1", 2 * i + 1).hold("a", reply.claims().get(0).token(), 1000));
        }
        assertThat(bench.meta("meta")).containsEntry("hold", T0 + 4000 + " 3 a");
    }

    @Test
    void aTopicThatWasHeldForgetsItAfterAnHour() {
        bench.given(state("leased a 0 w0-1 9000000"));
        bench.poll(Polls.by("w1", 1).hold("a", "w0-1", 700));
        bench.clock(T0 + 3_600_700);
        assertThat(bench.poll(Polls.by("w1", 2).after(3_600_700)).limited()).isTrue();
        bench.clock(T0 + 3_600_701);
        assertThat(bench.poll(Polls.by("w1", 3).after(1)).limited()).isFalse();
        assertThat(bench.meta("meta")).doesNotContainKeys("limits", "hold");
    }

    @Test
    void whateverGivesAPlaceBackSignalsDueMessages() {
        Map<String, Function<StoreBench, Object>> ways = Map.of(
                "acknowledge",
                free -> free.poll(Polls.by("w1", 1).acknowledge("a", "w0-1")),
                "retry",
                free -> free.poll(Polls.by("w1", 1).retry("a", "w0-1", 900_000)),
                "dead letter",
                free -> free.poll(Polls.by("w1", 1).deadLetter("a", "w0-1", DeadLetterCause.REQUESTED)),
                "cancel",
                free -> Calls.cancel(free.store(), free.shard(), "a"),
                "replace",
                free -> Calls.send(
                        free.store(),
                        free.shard(),
                        List.of(Sends.message("a", new Due(9, true), OnDuplicate.REPLACE, "m"))),
                "reclaim",
                free -> {
                    free.clock(T0 + 10);
                    return free.poll(Polls.by("w1", 1));
                });
        ways.forEach((way, free) -> {
            bench.reset();
            limit("1 0 1 0");
            bench.given(state("leased a 0 w0-1 9, scheduled b 0"));
            assertThat(bench.signals(store -> free.apply(bench))).as(way).anyMatch(signal -> signal.startsWith("s "));
        });
    }

    @Test
    void aPlaceThatIsGivenBackBeforeTheNextTokenSignalsItsTime() {
        limit("1 5000000 1 0");
        bench.given(state("scheduled a -1, scheduled b 0"));
        bench.poll(Polls.by("w1", 1).claim(1));
        List<String> signals =
                bench.signals(store -> bench.poll(Polls.by("w1", 2).acknowledge("a", "w1-1")));
        assertThat(signals).singleElement().asString().startsWith("h ").endsWith(" " + (T0 + 5000));
    }

    @Test
    void atNoStopThereAreMoreLeasesThanPermitted() {
        ShardState state = state("leased a 0 w1-1 30000, leased b 0 w1-1 30000, leased c 0 w1-1 30000, "
                + "scheduled d 0, scheduled e 0");
        for (int write = 0; ; write++) {
            bench.reset();
            limit("3 0 1 0");
            bench.given(state);
            bench.stoppedBefore("poll", write);
            boolean stopped = bench.stops(() -> bench.poll(Polls.by("w1", 2)
                    .claim(9)
                    .acknowledge("a", "w1-1")
                    .retry("b", "w1-1", 5)
                    .deadLetter("c", "w1-1", DeadLetterCause.REQUESTED)));
            assertThat(bench.state().get("leases"))
                    .as("stopped before write " + write)
                    .hasSizeLessThanOrEqualTo(3);
            if (!stopped) {
                assertThat(write).isGreaterThan(10);
                return;
            }
        }
    }

    @Test
    void aClosedTopicIsIdle() {
        limit("1 0 1 0");
        bench.given(state("leased a 0 w0-1 30000, scheduled b 0"));
        bench.poll(Polls.by("w1", 1).claim(9));
        Map<String, Long> closed =
                bench.commands(() -> bench.poll(Polls.by("w1", 2).claim(9)));
        assertThat(closed.values().stream().mapToLong(Long::longValue).sum())
                .as("%s", closed)
                .isLessThanOrEqualTo(10);
    }

    private static Function<StoreBench, Object> limited(String limits, Polls poll) {
        return bench -> {
            limit(limits);
            return PollReplyText.of(bench.poll(poll.lease(Duration.ofSeconds(30))));
        };
    }

    private static void limit(String limits) {
        bench.limits(limits);
    }

    private static List<String> claimed(PollReply reply) {
        return reply.claims().stream().map(claim -> claim.id()).toList();
    }
}
