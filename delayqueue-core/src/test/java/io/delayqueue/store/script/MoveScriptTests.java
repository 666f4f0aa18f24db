package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.Due;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.Claim;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.bench.Calls;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.store.script.MessageMover.Moved;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The scripts of a move between two topics, executed twice and stopped before each of their writes, as {@link TwiceTests}
 * and {@link StoppedScriptTests} do it with the scripts of one topic.
 */
class MoveScriptTests {

    private static final int MOST_WRITES = 20;
    private static final long TAKEN = 4_000_000_000_000_000L;

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private static final List<String> IDS =
            List.of("scheduled", "retrying", "suspect", "refused", "leased", "live", "absent", "succeeded");

    private final List<Shard> source = List.of(bench.shard());
    private final Shard target = Shard.single("other");
    private long polls;

    @BeforeEach
    void begin() {
        bench.reset();
        bench.store().enableNotifications(bench.shard()).join();
        bench.given(state("scheduled scheduled -5, retrying retrying 5 2 E: no, "
                        + "suspect suspect 6 1 /2/0 E: no, retrying refused 7 1 E: no")
                .leased("leased", T0, "w0-1", Scenarios.END)
                .and("scheduled live 8, retrying succeeded 9 1 E: no, successor succeeded 9"));
        bench.store().enableNotifications(target).join();
        Calls.send(bench.store(), target, List.of(anew("live")));
    }

    private static OutgoingMessage anew(String id) {
        return OutgoingMessage.of(
                id, Due.NOW, OnDuplicate.REJECT, "anew", MessageLimits.NONE, null, Map.of(), "anew".getBytes(UTF_8));
    }

    private MessageMover mover(ScriptRunner scripts) {
        return new MessageMover(scripts, bench.keySpace(), new TopicRegistry(scripts, bench.keySpace()));
    }

    private Set<String> move() {
        return moved().ids();
    }

    /** Moves. One message is sent to the target after its id was reserved there. */
    private Moved moved() {
        AtomicBoolean sent = new AtomicBoolean();
        ScriptRunner sending = call -> {
            if (call.script().name().equals("movestore") && sent.compareAndSet(false, true)) {
                Calls.send(bench.store(), target, List.of(anew("refused")));
            }
            return bench.scripts().run(call);
        };
        return mover(sending).move(source, target.topic(), IDS, Instant.ofEpochMilli(T0));
    }

    private Set<String> finish() {
        return mover(bench.scripts()).finish(source, target.topic());
    }

    private String states() {
        return bench.state() + "target\n" + bench.state(target);
    }

    @Test
    void theSecondTimeChangesNothing() {
        assertThat(move()).containsExactlyInAnyOrder("scheduled", "retrying", "suspect");
        String once = states();

        begin();
        bench.twice();
        assertThat(move()).containsExactlyInAnyOrder("scheduled", "retrying", "suspect");
        assertThat(states()).isEqualTo(once);
        assertNothingIsReserved("");
    }

    @ParameterizedTest
    @ValueSource(strings = {"movereserve", "movetake", "movestore", "moveend"})
    void aMoveThatStoppedIsFinishedByAnother(String script) {
        move();
        String expected = states();

        for (int write = 0; stopped(script, write); write++) {
            String where = "stopped before write " + write;
            assertKept(where);
            Set<String> moved = finish();
            assertKept(where);
            assertThat(bench.state().get("schedule").values().stream().filter(MoveScriptTests::isTaken))
                    .as(where)
                    .isEmpty();
            assertNothingIsReserved(where);
            assertThat(finish()).as(where).isEmpty();
            moved.forEach(id ->
                    assertThat(bench.state(target).get("messages")).as(where).containsKey(id));

            move();
            if (!isOriginal("refused", bench.state(target).get("messages").get("refused"))) {
                assertThat(states()).as(where).isEqualTo(expected);
            }
            assertNothingIsReserved(where);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"movereserve", "movetake", "movestore", "moveend"})
    void whatIsSentToTheTargetBetweenStopAndFinishIsNotLost(String script) {
        for (int write = 0; stopped(script, write); write++) {
            String where = "stopped before write " + write;
            for (String id : List.of("scheduled", "retrying", "suspect")) {
                Calls.send(bench.store(), target, List.of(anew(id)));
            }
            finish();
            assertKept(where);
            move();
            assertKept(where);
            assertNothingIsReserved(where);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"movereserve", "movetake", "movestore", "moveend"})
    void whatIsClaimedBetweenStopAndFinishKeepsItsAttempts(String script) {
        for (int write = 0; stopped(script, write); write++) {
            String where = "stopped before write " + write;
            assertAttemptsKept(where);
            finish();
            assertAttemptsKept(where + ", finished");
            assertThat(bench.state().get("schedule")).as(where).isEmpty();
            assertNothingIsReserved(where);
        }
    }

    /** Claims all messages of the source. */
    private void assertAttemptsKept(String where) {
        bench.clock(T0 + 10);
        while (true) {
            List<Claim> claims = bench.poll(Polls.by("w1", ++polls).claim(500).claimSuspect())
                    .claims();
            if (claims.isEmpty()) {
                return;
            }
            for (Claim claim : claims) {
                assertThat(claim.id() + ' ' + claim.attempt() + ' ' + claim.crashes() + ' ' + claim.lastFailure())
                        .as(where)
                        .isIn(
                                "scheduled 1 0 null",
                                "retrying 3 0 E: no",
                                "suspect 2 2 E: no",
                                "refused 2 0 E: no",
                                "succeeded 2 0 E: no",
                                "live 1 0 null");
            }
        }
    }

    /** Begins a move, whose script stops before a write. Returns false if it has no such write. */
    private boolean stopped(String script, int write) {
        assertThat(write).isLessThan(MOST_WRITES);
        begin();
        bench.stoppedBefore(script, write);
        boolean stops = bench.stops(this::move);
        bench.undisturbed();
        assertThat(stops || write > 0).as(script + " writes").isTrue();
        return stops;
    }

    /** Each message that was in the source is stored in one topic, and can be claimed in one at most. */
    private void assertKept(String where) {
        ShardState left = bench.state();
        ShardState right = bench.state(target);
        for (String id : List.of("scheduled", "retrying", "suspect", "refused", "leased", "live")) {
            long stored = Stream.of(left, right)
                    .filter(state -> isOriginal(id, state.get("messages").get(id)))
                    .count();
            long claimable = Stream.of(left, right)
                    .filter(state -> isOriginal(id, state.get("messages").get(id)))
                    .filter(state -> state.get("leases").containsKey(id) || isScheduled(state, id))
                    .count();
            assertThat(stored).as(id + " " + where).isPositive();
            assertThat(claimable).as(id + " " + where).isLessThanOrEqualTo(1);
        }
    }

    private static boolean isOriginal(String id, @Nullable String stored) {
        return stored != null && stored.endsWith("\n" + id);
    }

    private static boolean isScheduled(ShardState state, String id) {
        String score = state.get("schedule").get(id);
        return score != null && !isTaken(score);
    }

    private static boolean isTaken(String score) {
        return Double.parseDouble(score) >= TAKEN;
    }

    /** The target has room for one of the three messages that could be moved. */
    private void beginWithRoomForOne() {
        begin();
        bench.limit(target, 3);
    }

    @Test
    void aFullTargetLeavesTheOtherMessagesInTheSource() {
        ShardState before = bench.state();
        beginWithRoomForOne();

        Moved moved = moved();

        assertThat(moved.isFull()).isTrue();
        assertThat(moved.ids()).hasSize(1);
        assertThat(bench.state(target).get("messages"))
                .hasSize(3)
                .containsKeys(moved.ids().toArray(String[]::new));
        for (String key : List.of("schedule", "leases", "messages", "deliveries")) {
            before.get(key).keySet().removeAll(moved.ids());
            assertThat(bench.state().get(key)).as(key).isEqualTo(before.get(key));
        }
        assertNothingIsReserved("");
        assertThat(finish()).isEmpty();

        bench.limit(target, 5);
        assertThat(moved()).satisfies(rest -> {
            assertThat(rest.isFull()).isFalse();
            assertThat(rest.ids()).hasSize(2);
        });
    }

    @Test
    void theSecondTimeAFullTargetRepliesAlike() {
        beginWithRoomForOne();
        Moved once = moved();
        String states = states();

        beginWithRoomForOne();
        bench.twice();
        assertThat(moved()).isEqualTo(once);
        assertThat(states()).isEqualTo(states);
        assertNothingIsReserved("");
    }

    @ParameterizedTest
    @ValueSource(strings = {"movereserve", "movetake", "movestore", "moveend"})
    void aMoveIntoAFullTargetThatStoppedIsFinishedByAnother(String script) {
        for (int write = 0; ; write++) {
            String where = "stopped before write " + write;
            beginWithRoomForOne();
            bench.stoppedBefore(script, write);
            boolean stops = bench.stops(this::move);
            bench.undisturbed();
            if (!stops) {
                assertThat(write).isPositive();
                return;
            }
            assertKept(where);
            finish();
            assertKept(where);
            assertNothingIsReserved(where);
            move();
            assertKept(where);
            assertNothingIsReserved(where);
            assertThat(bench.state().get("schedule").values().stream().filter(MoveScriptTests::isTaken))
                    .as(where)
                    .isEmpty();
            assertThat(bench.state(target).get("messages")).as(where).hasSize(3);
            assertThat(bench.state(target).get("schedule")).as(where).hasSize(3);
        }
    }

    private void assertNothingIsReserved(String where) {
        String meta = new String(bench.keySpace().of(target).meta(), UTF_8);
        assertThat(String.valueOf(bench.server().command("HKEYS", meta)))
                .as(where)
                .doesNotContain("m:");
    }
}
