package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.Due;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.Shard;
import io.delayqueue.store.Claim;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.store.script.Scenarios.Scenario;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every script stopped before each of its writes in turn, as a server does whose slot is migrated or whose memory ran
 * out. The variants are made of the real scripts' text.
 */
class StoppedScriptTests {

    private static final int MOST_WRITES = 60;

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    static Stream<Scenario> scenarios() {
        return Scenarios.all();
    }

    /** What consumers did to the end: id and payload → how often it was acknowledged. */
    private final Map<String, Integer> handled = new TreeMap<>();

    @ParameterizedTest
    @MethodSource("scenarios")
    void theRepeatMakesItAsIfNothingHadHappened(Scenario scenario) {
        scenario.begin(bench);
        finish(scenario.run(bench), T0 + 20_000);
        String expected = bench.state() + handled.toString();

        stoppedEverywhere(scenario, write -> {
            assertKept(scenario, write);
            finish(scenario.run(bench), T0 + 20_000);
            assertThat(bench.state() + handled.toString())
                    .as("stopped before write " + write)
                    .isEqualTo(expected);
        });
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void withoutARepeatNothingIsLostAndNothingStays(Scenario scenario) {
        stoppedEverywhere(scenario, write -> {
            finish(null, T0 + 80_000);
            ShardState state = bench.state();
            assertThat(state.get("schedule"))
                    .as("stopped before write " + write)
                    .isEmpty();
            assertThat(state.get("leases")).isEmpty();
            assertThat(state.get("messages")).isEmpty();
            assertThat(state.get("deliveries")).isEmpty();
            assertThat(state.get("notifications.schedule")).isEmpty();
            assertThat(state.get("notifications.leases")).isEmpty();
            assertThat(state.get("notifications.messages")).isEmpty();
            assertThat(state.get("notifications.deliveries")).isEmpty();
            assertThat(state.get("dead").keySet())
                    .containsAll(state.get("deadLetters").keySet());
            assertThat(scenario.kept())
                    .allSatisfy(id -> assertThat(handledOrDead(state)).contains(messageOf(id)));
            if (scenario.script().equals("poll")) {
                assertThat(scenario.before().succeeded())
                        .allSatisfy(id -> assertThat(handled).containsEntry(id + "/next", 1));
            } else if (scenario.script().equals("send")) {
                assertThat(scenario.before().succeeded())
                        .allSatisfy(id -> assertThat(handled)
                                .containsAnyOf(Map.entry(id + "/next", 1), Map.entry(id + "/newer", 1)));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void whatIsSentAnewBetweenStopAndRepeatIsNotLost(Scenario scenario) {
        if (scenario.script().equals("cancel")) {
            return; // a cancel repeated later cancels what is there then
        }
        stoppedEverywhere(scenario, write -> {
            for (String id : List.of("a", "b", "c", "d", "e")) {
                List<SendReply> reply = bench.send(anew(id));
                if (reply.get(0).outcome() == SendReply.Outcome.ACCEPTED) {
                    handled.put(id + "/anew", 0);
                }
            }
            if (scenario.script().equals("send")) {
                finish(null, T0 + 80_000);
            } else {
                finish(scenario.run(bench), T0 + 80_000);
            }
            assertThat(handled).as("stopped before write " + write).doesNotContainValue(0);
        });
    }

    @Test
    void openIsRepeatableWhereverItStops() {
        for (int write = 0; ; write++) {
            bench.redis().call("FLUSHALL");
            bench.undisturbed();
            bench.clock(T0);
            bench.restartProcess();
            bench.stoppedBefore("open", write);
            if (!bench.stops(() -> bench.send(Sends.at("a", T0)))) {
                assertThat(write).isEqualTo(16);
                return;
            }
            bench.undisturbed();
            bench.send(Sends.at("a", T0));
            assertThat(bench.state()).hasToString(state("scheduled a 0").toString());
        }
    }

    /** Runs the call once for each of its writes, stopped before it; fails if it never stops to stop. */
    private void stoppedEverywhere(Scenario scenario, IntConsumer then) {
        for (int write = 0; write < MOST_WRITES; write++) {
            scenario.begin(bench);
            handled.clear();
            bench.stoppedBefore(scenario.script(), write);
            if (!bench.stops(() -> scenario.run(bench))) {
                assertThat(write).as("writes").isPositive();
                return;
            }
            bench.undisturbed();
            then.accept(write);
        }
        throw new AssertionError("The script writes more than " + MOST_WRITES + " times");
    }

    private static void assertKept(Scenario scenario, int write) {
        ShardState state = bench.state();
        assertThat(scenario.kept()).as("stopped before write " + write).allSatisfy(id -> {
            boolean live = state.get("messages").containsKey(messageOf(id))
                    && (state.get("schedule").containsKey(messageOf(id))
                            || state.get("leases").containsKey(messageOf(id)));
            boolean dead = state.get("deadLetters").keySet().stream()
                    .anyMatch(deadLetter -> messageOf(deadLetter).equals(messageOf(id))
                            && state.get("dead").containsKey(deadLetter));
            assertThat(live || dead).as(id + " stands somewhere").isTrue();
        });
    }

    private static String messageOf(String id) {
        int at = id.lastIndexOf('@');
        return at < 0 ? id : id.substring(0, at);
    }

    private Set<String> handledOrDead(ShardState state) {
        Set<String> ids = new TreeSet<>();
        handled.keySet().forEach(key -> ids.add(key.substring(0, key.indexOf('/'))));
        state.get("dead").keySet().forEach(deadLetter -> ids.add(messageOf(deadLetter)));
        return ids;
    }

    private static OutgoingMessage anew(String id) {
        return OutgoingMessage.of(
                id, Due.NOW, OnDuplicate.REJECT, "anew", MessageLimits.NONE, null, Map.of(), "anew".getBytes(UTF_8));
    }

    /** The caller handles what it got, then another polls whenever something is due or a lease ends, and handles the rest. */
    private void finish(@Nullable Object reply, long until) {
        if (reply instanceof PollReply poll && !poll.claims().isEmpty()) {
            handle(bench.shard(), "w1", 3, poll.claims());
        }
        long sequence = 1;
        long last = T0;
        long now = T0;
        while (now <= until) {
            bench.clock(now);
            long next = PollReply.NEVER;
            for (Shard kind : List.of(bench.shard(), bench.shard().notifications())) {
                PollReply poll = claim(kind, ++sequence, now - last);
                while (!poll.claims().isEmpty()) {
                    handle(kind, "z", ++sequence, poll.claims());
                    poll = claim(kind, ++sequence, 0);
                }
                next = poll.suspectsLeft()
                        ? now
                        : Math.min(next, Math.min(poll.nextDueMillis(), poll.nextLeaseEndMillis()));
            }
            last = now;
            now = Math.max(now + 1, next);
        }
    }

    private static PollReply claim(Shard kind, long sequence, long sinceLast) {
        Polls poll = Polls.by("z", sequence).claim(500).claimSuspect();
        return Polls.poll(
                bench.store(),
                kind,
                poll.gap(Duration.ofHours(1)).after(sinceLast).build());
    }

    private void handle(Shard kind, String consumer, long sequence, List<Claim> claims) {
        Polls poll = Polls.by(consumer, sequence);
        claims.forEach(claim -> poll.acknowledge(claim.id(), claim.token()));
        PollReply reply = Polls.poll(bench.store(), kind, poll.build());
        assertThat(reply.rejected()).isEmpty();
        claims.forEach(claim ->
                handled.merge(claim.id() + "/" + new String(claim.envelope().payload(), UTF_8), 1, Integer::sum));
    }
}
