package io.delayqueue.store.script;

import static io.delayqueue.store.EnvelopeFormat.LATEST;
import static io.delayqueue.store.bench.ShardState.message;
import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.Due;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.ShardKeys;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.OutgoingMessage.Memory;
import io.delayqueue.store.Purge;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.SendReply.Outcome;
import io.delayqueue.store.bench.Calls;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Row;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.testing.SystemClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The state table of {@code send.lua}. */
class SendScriptTests extends ScriptTable {

    static Stream<Row> table() {
        return Stream.of(absent(), live(), versioned(), repeats(), others(), full(), hasRoom());
    }

    private static Row absent() {
        MessageLimits limits = new MessageLimits(4, Duration.ofSeconds(9), Duration.ofMillis(70), null);
        MessageLimits date = new MessageLimits(null, null, null, Instant.ofEpochMilli(T0 + 5));
        return new Row(
                "absent: accepted, also beside dead letters and leftovers",
                state("deadLetter dead w1-1 -1 REQUESTED 1 -9 E: no, "
                                + "schedule 'scheduled, no message' 5, leases 'leased, no message' 5")
                        .put("deliveries", "leased, no message", "w1-1 1 " + T0 + " "),
                sends(
                        Sends.at("date", T0 + 1000),
                        Sends.after("delay", 1000),
                        Sends.at("date that has passed", T0 - 1000),
                        Sends.at("dead", T0),
                        Sends.at("scheduled, no message", T0 + 1000),
                        Sends.at("leased, no message", T0 + 1000),
                        Sends.limited("limits", T0, limits),
                        Sends.limited("expiry", T0, date)),
                "ACCEPTED 1000, ACCEPTED 1000, ACCEPTED -1000, ACCEPTED 0, ACCEPTED 1000, "
                        + "ACCEPTED 1000, ACCEPTED 0, ACCEPTED 0",
                state("scheduled date 1000, scheduled delay 1000, "
                                + "scheduled 'date that has passed' -1000, "
                                + "deadLetter dead w1-1 -1 REQUESTED 1 -9 E: no, scheduled dead 0, "
                                + "scheduled 'scheduled, no message' 1000, "
                                + "scheduled 'leased, no message' 1000, leases 'leased, no message' 5") // which
                        // the
                        // next
                        // reclaim sweeps
                        .put("schedule", "limits", T0)
                        .put("messages", "limits", message("+n a=4 l=9000 x=70", T0, T0, "\nlimits"))
                        .put("schedule", "expiry", T0)
                        .put("messages", "expiry", message("+n e=" + (T0 + 5), T0, T0, "\nexpiry")));
    }

    private static Row live() {
        return new Row(
                "live: rejected, kept or replaced with attempts from zero and without the token",
                state("retrying a 7 2 E: no, leased b -7 w1-1 30000, retrying c 7 2 E: no, "
                        + "leased d -7 w1-1 30000"),
                sends(
                        other("a", OnDuplicate.REJECT),
                        other("b", OnDuplicate.REJECT),
                        other("a", OnDuplicate.KEEP),
                        other("b", OnDuplicate.KEEP),
                        other("c", OnDuplicate.REPLACE),
                        other("d", OnDuplicate.REPLACE)),
                "DUPLICATE 1000, DUPLICATE 1000, KEPT 1000, KEPT 1000, REPLACED 1000, REPLACED 1000",
                stored("c", "m", 1000, stored("d", "m", 1000))
                        .retrying("a", T0 + 7, 2, "E: no")
                        .leased("b", T0 - 7, "w1-1", T0 + 30_000));
    }

    private static Row versioned() {
        String version = "n1700000000000005";
        ShardState before = new ShardState();
        stored("greater", "n1700000000000006", 7, before);
        stored("greater with limits", "+n1700000000000006 a=4", 7, before);
        stored("smaller", "+n1700000000000004 a=4", 7, before);
        stored("no version", "n17000000000000066", 7, before);
        stored("by no version", "n1700000000000006", 7, before);
        ShardState after = new ShardState();
        stored("greater", "n1700000000000006", 7, after);
        stored("greater with limits", "+n1700000000000006 a=4", 7, after);
        stored("smaller", version, 1000, after);
        stored("no version", version, 1000, after);
        stored("by no version", "m", 1000, after);
        Due due = new Due(1000, true);
        return new Row(
                "versions: only a greater one is kept",
                before,
                sends(
                        Sends.message("greater", due, OnDuplicate.REPLACE, version),
                        Sends.message("greater with limits", due, OnDuplicate.REPLACE, version),
                        Sends.message("smaller", due, OnDuplicate.REPLACE, version),
                        Sends.message("no version", due, OnDuplicate.REPLACE, version),
                        other("by no version", OnDuplicate.REPLACE)),
                "KEPT 1000, KEPT 1000, REPLACED 1000, REPLACED 1000, REPLACED 1000",
                after);
    }

    private static Row repeats() {
        ShardState state = state("leased leased -7 w1-1 30000");
        stored("scheduled", "n", 7, state);
        stored("generated", "", 7, state);
        stored("limited", "+n a=4", 7, state);
        return Row.unchanged(
                "own repeat: the first answer; that of a replacement does not retire the token",
                state,
                sends(
                        Sends.after("scheduled", 1000),
                        Sends.after("leased", 1000),
                        Sends.message("leased", Due.NOW, OnDuplicate.REPLACE, "n"),
                        Sends.message("generated", new Due(1000, true), OnDuplicate.REJECT, "-"),
                        Sends.limited("limited", T0, new MessageLimits(4, null, null, null))),
                "ACCEPTED 7 again, ACCEPTED -7 again, ACCEPTED -7 again, ACCEPTED 7 again, ACCEPTED 7 again");
    }

    private static Row others() {
        ShardState state = new ShardState();
        stored("begins like it", "n", 7, state);
        stored("it begins like", "n2", 7, state);
        stored("none there", "", 7, state);
        stored("none here", "n", 7, state);
        stored("without limits", "+n a=4", 7, state);
        stored("more limits", "+n a=4", 7, state);
        state.put("schedule", "foreign", T0 + 7).put("messages", "foreign", "2............\n\na");
        return Row.unchanged(
                "not its repeat: another nonce, other limits, or what somebody else wrote",
                state,
                sends(
                        Sends.message("begins like it", Due.NOW, OnDuplicate.REJECT, "n2"),
                        Sends.at("it begins like", T0),
                        Sends.at("none there", T0),
                        Sends.message("none here", Due.NOW, OnDuplicate.REJECT, "-"),
                        Sends.at("without limits", T0),
                        Sends.limited("more limits", T0, new MessageLimits(4, Duration.ofSeconds(9), null, null)),
                        Sends.message("foreign", Due.NOW, OnDuplicate.REJECT, "-")),
                String.join(", ", Collections.nCopies(7, "DUPLICATE 0")));
    }

    private static Row full() {
        ShardState before = state("deadLetter dead w1-1 -1 REQUESTED 1 -9 E: no, retrying a 7 2 E: no, "
                + "leased b -7 w1-1 30000, retrying c 7 2 E: no, leased d -7 w1-1 30000, "
                + "schedule 'scheduled, no message' 5");
        stored("version", "n1700000000000006", 7, before);
        ShardState after = state("deadLetter dead w1-1 -1 REQUESTED 1 -9 E: no, retrying a 7 2 E: no, "
                + "leased b -7 w1-1 30000, scheduled 'scheduled, no message' 1000");
        stored("c", "m", 1000, after);
        stored("d", "m", 1000, after);
        stored("version", "n1700000000000006", 7, after);
        return new Row(
                "full: what adds a message is rejected, all else is decided as ever",
                before,
                limited(
                        6,
                        Sends.at("new", T0 + 1000),
                        Sends.after("new", 1000),
                        Sends.large("new", T0 + 1000, 2000),
                        Sends.at("dead", T0 + 1000),
                        other("new", OnDuplicate.KEEP),
                        other("new", OnDuplicate.REPLACE),
                        other("a", OnDuplicate.REJECT),
                        other("b", OnDuplicate.KEEP),
                        Sends.after("a", 9),
                        Sends.at("b", T0 + 9),
                        other("c", OnDuplicate.REPLACE),
                        other("d", OnDuplicate.REPLACE),
                        Sends.message("version", Due.NOW, OnDuplicate.REPLACE, "n1700000000000005"),
                        Sends.at("scheduled, no message", T0 + 1000), // as a send that stopped midway leaves it
                        Sends.at("new", T0 + 1000)),
                "FULL 6, FULL 6, FULL 6, FULL 6, FULL 6, FULL 6, DUPLICATE 1000, KEPT 1000, "
                        + "ACCEPTED 7 again, ACCEPTED -7 again, REPLACED 1000, REPLACED 1000, KEPT 0, "
                        + "ACCEPTED 1000, FULL 6",
                after);
    }

    private static Row hasRoom() {
        ShardState before = state("scheduled a 7, leased b -7 w1-1 30000");
        ShardState after = state("scheduled a 7, leased b -7 w1-1 30000, scheduled c 1000, scheduled d 1000");
        return new Row(
                "not full: accepted until the limit is reached",
                before,
                limited(
                        4,
                        Sends.at("c", T0 + 1000),
                        Sends.after("d", 1000),
                        Sends.at("e", T0 + 1000),
                        Sends.at("c", T0 + 1000)),
                "ACCEPTED 1000, ACCEPTED 1000, FULL 4, ACCEPTED 1000 again",
                after);
    }

    private static ShardState stored(String id, String line, long due, ShardState state) {
        return state.put("schedule", id, T0 + due).put("messages", id, message(line, T0, T0 + due, "\n" + id));
    }

    private static ShardState stored(String id, String line, long due) {
        return stored(id, line, due, new ShardState());
    }

    /** Sends each by a call of its own. The result is a text. */
    static Function<StoreBench, Object> sends(OutgoingMessage... messages) {
        return bench -> Stream.of(messages)
                .map(message -> bench.send(message).get(0))
                .map(reply -> reply.outcome() + " "
                        + (reply.outcome() == Outcome.FULL
                                ? reply.limit()
                                : reply.dueAt().toEpochMilli() - T0)
                        + (reply.repeated() ? " again" : ""))
                .collect(Collectors.joining(", "));
    }

    /** Limits the messages of the shard, then sends each by a call of its own. */
    private static Function<StoreBench, Object> limited(int limit, OutgoingMessage... messages) {
        return bench -> {
            bench.limit(limit);
            return sends(messages).apply(bench);
        };
    }

    @Test
    void messagesOfACallAreAcceptedInOrderUntilTheTopicIsFull() {
        for (int room = 0; room <= 5; room++) {
            bench.reset();
            bench.given(state("scheduled dup 1, leased old 0 w1-1 30000, scheduled again 3"));
            bench.limit(3 + room);

            List<SendReply> reply = bench.send(
                    Sends.at("a", T0 + 1000),
                    other("dup", OnDuplicate.REJECT),
                    Sends.after("b", 5),
                    Sends.at("c", T0 + 2000),
                    Sends.at("again", T0),
                    Sends.at("d", T0 + 500),
                    other("old", OnDuplicate.REPLACE));

            List<String> fresh = List.of("a", "b", "c", "d");
            List<Outcome> ofFresh =
                    Stream.of(0, 2, 3, 5).map(i -> reply.get(i).outcome()).toList();
            int accepted = Math.min(room, 4);
            assertThat(ofFresh.subList(0, accepted)).allMatch(outcome -> outcome == Outcome.ACCEPTED);
            assertThat(ofFresh.subList(accepted, 4)).allMatch(outcome -> outcome == Outcome.FULL);
            assertThat(List.of(
                            reply.get(1).outcome(),
                            reply.get(4).outcome(),
                            reply.get(6).outcome()))
                    .containsExactly(Outcome.DUPLICATE, Outcome.ACCEPTED, Outcome.REPLACED);
            assertThat(reply.get(4).dueAt()).isEqualTo(Instant.ofEpochMilli(T0 + 3));
            assertThat(reply).filteredOn(each -> each.outcome() == Outcome.FULL).allMatch(each -> each.limit() > 2);
            assertThat(bench.state().get("messages").keySet())
                    .hasSize(3 + accepted)
                    .containsAll(fresh.subList(0, accepted));
            assertThat(bench.state().get("schedule")).hasSize(3 + accepted);
        }
    }

    @Test
    void aFullTopicIsNoRememberedOutcome() {
        List<OutgoingMessage> all = Stream.of("a", "b")
                .map(id -> Sends.remembered(Sends.at(id, T0)))
                .toList();
        bench.limit(1);
        assertThat(outcomes(bench.send(all))).containsExactly(Outcome.ACCEPTED, Outcome.FULL);

        List<SendReply> whileFull = bench.send(all);
        assertThat(outcomes(whileFull)).containsExactly(Outcome.ACCEPTED, Outcome.FULL);
        assertThat(whileFull).extracting(SendReply::repeated).containsExactly(true, false);

        bench.cancel("a");
        List<SendReply> withRoom = bench.send(all);
        assertThat(outcomes(withRoom)).containsExactly(Outcome.ACCEPTED, Outcome.ACCEPTED);
        assertThat(withRoom).extracting(SendReply::repeated).containsExactly(true, false);
        assertThat(bench.state().get("messages")).containsOnlyKeys("b");

        List<SendReply> last = bench.send(all);
        assertThat(last).allMatch(SendReply::repeated).allMatch(reply -> reply.outcome() == Outcome.ACCEPTED);
    }

    @Test
    void onlyTheLimitOfMessagesCounts() {
        bench.given(state("scheduled a 0, scheduled b 0"));
        for (String limits : List.of("1 631579 6 0", "0 0 0 0", "0 0 1 1000000000000")) {
            bench.limits(limits);
            assertThat(bench.send(Sends.at(limits, T0))).isEqualTo(Sends.reply(Outcome.ACCEPTED, T0));
        }
        bench.limits("1000 631579 6 2");
        assertThat(outcomes(bench.send(Sends.at("c", T0)))).containsExactly(Outcome.FULL);
    }

    @Test
    void aRejectedMessageIsNotSignalled() {
        bench.limit(1);
        bench.send(Sends.at("a", T0 + 1000));

        assertThat(bench.signals(store -> Calls.send(store, bench.shard(), List.of(Sends.at("b", T0 + 500)))))
                .isEmpty();
        assertThat(bench.signals(store -> Calls.send(
                        store,
                        bench.shard(),
                        List.of(Sends.at("b", T0 + 500), Sends.message("c", Due.NOW, OnDuplicate.KEEP, "m")))))
                .isEmpty();
    }

    @Test
    void whatIsNoSendIsNeverRejected() {
        bench.store().enableNotifications(bench.shard()).join();
        bench.given(state("scheduled a -3, scheduled b -2, scheduled c -1, leased d -9 w0-1 -1, "
                + "scheduled e 9, deadLetter f t -1 REQUESTED 1 -9 E: no"));
        bench.limit(1);

        String token = bench.poll(Polls.by("w1", 1).claim(3)).claims().get(0).token();
        assertThat(bench.poll(Polls.by("w1", 2)
                                .retry("a", token, 5)
                                .release("b", token)
                                .postpone("c", token, 5, 9))
                        .rejected())
                .isEmpty();
        assertThat(Await.result(bench.store().replay(bench.shard(), List.of("f@t"), Due.NOW)))
                .containsExactly(ReplayOutcome.REPLAYED);
        assertThat(bench.reschedule("e", Due.NOW)).isEqualTo(RescheduleOutcome.RESCHEDULED);

        assertThat(bench.state().get("schedule")).containsOnlyKeys("a", "b", "c", "d", "e", "f");
        assertThat(bench.state().get("notifications.schedule")).isEmpty();
    }

    @Test
    void aRememberedOutcomeIsReturnedAfterTheMessageIsRemoved() {
        bench.given(state("scheduled dup 1, scheduled kept 2, scheduled old 3"));
        List<OutgoingMessage> all = Stream.of(
                        Sends.message("a", new Due(5, true), OnDuplicate.REJECT, "m"),
                        Sends.at("b", T0 + 6),
                        other("dup", OnDuplicate.REJECT),
                        other("kept", OnDuplicate.KEEP),
                        other("old", OnDuplicate.REPLACE))
                .map(Sends::remembered)
                .toList();
        List<SendReply> first = bench.send(all);
        for (String id : List.of("a", "dup", "kept", "old")) {
            bench.cancel(id);
        }
        bench.clock(T0 + 500);
        ShardState left = bench.state();

        List<SendReply> second = bench.send(all);

        assertThat(second).extracting("outcome").isEqualTo(outcomes(first));
        assertThat(first).noneMatch(SendReply::repeated);
        assertThat(second).allMatch(SendReply::repeated);
        for (int stored : List.of(0, 1, 4)) {
            assertThat(second.get(stored).dueAt()).isEqualTo(first.get(stored).dueAt());
        }
        assertThat(bench.state()).hasToString(left.toString());
    }

    private static List<Outcome> outcomes(List<SendReply> reply) {
        return reply.stream().map(SendReply::outcome).toList();
    }

    @Test
    void messagesWithTheSameNonceAreRememberedApart() {
        bench.given(new ShardState());
        Memory memory = new Memory("n0000000000000001", Duration.ofMinutes(1)); // as a version is stored
        bench.send(Sends.at("a", T0).remembered(memory));

        List<SendReply> reply = bench.send(Sends.at("b", T0 + 1).remembered(memory));

        assertThat(reply).isEqualTo(Sends.reply(Outcome.ACCEPTED, T0 + 1));
        assertThat(bench.state().get("messages")).containsOnlyKeys("a", "b");
    }

    @Test
    void aRepeatIsRememberedThatFindsTheMessageButNoMemoryOfIt() {
        OutgoingMessage message = Sends.after("a", 1000);
        bench.given(state("scheduled a 7"));
        bench.send(Sends.remembered(message));
        bench.cancel("a");

        List<SendReply> reply = bench.send(Sends.remembered(message));

        assertThat(reply).isEqualTo(Sends.repeated(Outcome.ACCEPTED, T0 + 7));
        assertThat(bench.state()).hasToString("");
    }

    @Test
    void memoryEndsWithItsTime() {
        bench.given(new ShardState());
        OutgoingMessage message = Sends.remembered(Sends.at("a", T0));
        bench.send(message, Sends.at("b", T0));

        bench.cancel("a");
        bench.clock(T0 + 59_999);
        bench.send(message);
        assertThat(bench.state().get("messages")).containsOnlyKeys("b");
        bench.clock(T0 + 60_000);
        assertThat(bench.send(message)).isEqualTo(Sends.reply(Outcome.ACCEPTED, T0));
        assertThat(bench.state().get("messages")).containsOnlyKeys("a", "b");
    }

    @Test
    void expiredOutcomesAreRemoved() {
        ShardKeys keys = bench.keySpace().of(bench.shard());
        List<OutgoingMessage> some = Stream.of("a", "b", "c", "d", "e")
                .map(id -> Sends.remembered(Sends.at(id, T0)))
                .toList();
        bench.send(some);
        bench.clock(T0 + 60_000);

        bench.send(Sends.remembered(Sends.at("f", T0)));
        assertThat(bench.redis().call("HLEN", keys.sent()))
                .as("two go with each")
                .isEqualTo(5L);

        Await.result(bench.store().purge(bench.shard(), new Purge.Retention(Duration.ofDays(1), 100, Long.MAX_VALUE)));
        assertThat(bench.redis().call("HLEN", keys.sent()))
                .as("its own, and the sentinel")
                .isEqualTo(2L)
                .isEqualTo(bench.redis().call("ZCARD", keys.sentUntil()));
    }

    @Test
    void whatIsRememberedOutlivesItsTopicForItsTime() {
        ShardKeys keys = bench.keySpace().of(bench.shard());
        OutgoingMessage message = Sends.remembered(Sends.at("a", T0));
        bench.send(message);
        bench.cancel("a");
        bench.redis().call("ZADD", keys.sentUntil(), Long.toString(SystemClock.millis() + 3_600_000), "a");

        bench.process().deletion().delete("orders");
        assertThat((Long) bench.redis().call("PTTL", keys.sent())).isBetween(1L, 3_600_000L);
        assertThat((Long) bench.redis().call("PTTL", keys.sentUntil())).isBetween(1L, 3_600_000L);
        bench.send(message);

        assertThat(bench.state()).hasToString("");
        assertThat(bench.redis().call("PTTL", keys.sent())).isEqualTo(-1L);
        assertThat(bench.redis().call("PTTL", keys.sentUntil())).isEqualTo(-1L);
    }

    @Test
    void anyIdAndHeaderComesBackAsItWas() {
        String id = "Grüße\n 1 2 %{x}~@";
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("tags: a", "100 %0A\r\nb");
        headers.put("leer", "");
        bench.send(OutgoingMessage.of(
                id, Due.NOW, OnDuplicate.REJECT, "n", MessageLimits.NONE, null, headers, new byte[] {0, '\n', -1}));

        var found = Await.result(bench.store().find(bench.shard(), id)).orElseThrow();
        assertThat(found.envelope().headers()).isEqualTo(headers);
        assertThat(found.envelope().payload()).containsExactly(0, '\n', -1);
        assertThat(found.envelope().sentAt()).isEqualTo(Instant.ofEpochMilli(T0));
    }

    @Test
    void theFurthestDueTimeFitsIntoTheHead() {
        bench.send(
                Sends.message("a", new Due(Long.MAX_VALUE, false), OnDuplicate.REJECT, "n"),
                Sends.message("b", new Due(Long.MAX_VALUE, true), OnDuplicate.REJECT, "n"));
        assertThat(bench.state())
                .hasToString(new ShardState()
                        .scheduled("a", LATEST)
                        .scheduled("b", T0 + LATEST / 2)
                        .toString());
    }

    private static OutgoingMessage other(String id, OnDuplicate mode) {
        return Sends.message(id, new Due(1000, true), mode, "m");
    }
}
