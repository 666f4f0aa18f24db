package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.Schedule;
import io.delayqueue.message.Timing;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.Claim;
import io.delayqueue.store.EnvelopeFormat;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.store.script.Recurrences.Action;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random histories of three schedules beside ordinary messages. No occurrence is early, or leased twice at a time; no slot ends
 * twice; each slot has an occurrence, or is counted as skipped or cancelled; what is removed leaves nothing. The same holds if each
 * script is executed twice, and, except for the counts, if some scripts stop before one of their writes.
 */
abstract class RecurrenceHistories {

    private static final int HISTORIES = 12;
    private static final int MANY = 60;
    private static final int CALLS = 80;
    private static final long PERIOD = 10_000;
    private static final List<String> IDS = List.of("a", "b", "c");

    private enum Scripts {
        ONCE,
        TWICE,
        /** Some stop before one of their writes, and are repeated or not. */
        STOPPED
    }

    /** A message that a consumer holds, until its lease ends, or it is settled or cancelled. */
    private record Held(String token, long slot, long end) {}

    private final StoreBench bench;
    private final @Nullable String key;
    private Random random = new Random(0);
    private Scripts how = Scripts.ONCE;
    private long now;
    private long sequence;
    private int nonces;
    private final Map<String, Held> held = new HashMap<>();
    /** The last slot that ended, unless the timing may have changed since. */
    private final Map<String, Long> ended = new HashMap<>();
    /** Slots of occurrences that waited or were handled when another timing was put. */
    private final Map<String, Long> retimed = new HashMap<>();
    /** Numbers of slots that were acknowledged or dead-lettered, and that were cancelled. */
    private final Map<String, Integer> used = new HashMap<>();

    private final Map<String, Integer> cancelled = new HashMap<>();
    private final StringBuilder log = new StringBuilder();
    private int handled;

    /**
     * Creates the histories.
     *
     * @param key of all messages; null in a topic without keys
     */
    RecurrenceHistories(StoreBench bench, @Nullable String key) {
        this.bench = bench;
        this.key = key;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void eachSlotIsUsedSkippedOrCancelled(int seed) {
        run(seed, HISTORIES, Scripts.ONCE, this::countedHistory);
        run(seed, HISTORIES, Scripts.TWICE, this::countedHistory);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void noSlotEndsTwice(int seed) {
        run(seed, HISTORIES, Scripts.ONCE, this::history);
        run(seed, HISTORIES, Scripts.TWICE, this::history);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void noScheduleEndsWhereverAScriptStops(int seed) {
        run(seed, 2 * HISTORIES, Scripts.STOPPED, this::history);
    }

    @Tag("long")
    @Tag("core")
    @Test
    void manyHistories() {
        for (int seed = 1000; seed < 1004; seed++) {
            for (Scripts each : Scripts.values()) {
                run(seed, MANY, each, this::history);
            }
            run(seed, MANY, Scripts.ONCE, this::countedHistory);
        }
    }

    private void run(int seed, int histories, Scripts each, Runnable history) {
        how = each;
        handled = 0;
        for (int i = 0; i < histories; i++) {
            random = new Random(1000L * seed + i);
            log.setLength(0);
            bench.reset();
            usual();
            now = T0;
            List.of(held, ended, retimed, used, cancelled).forEach(Map::clear);
            try {
                history.run();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(how + ", seed " + seed + ", history " + i + "\n" + log, e);
            }
        }
        assertThat(handled).isGreaterThan(histories * 5);
    }

    private void usual() {
        bench.undisturbed();
        if (how == Scripts.TWICE) {
            bench.twice();
        }
    }

    /** Schedules that are stored once. */
    private void countedHistory() {
        IDS.forEach(id -> put(id, PERIOD, "p"));
        for (int call = 0; call < CALLS; call++) {
            passTime();
            String id = IDS.get(random.nextInt(IDS.size()));
            switch (random.nextInt(10)) {
                case 0 -> cancel(id);
                case 1 -> reschedule(id);
                default -> poll();
            }
        }
        long last = settleAll();
        for (String id : IDS) {
            Schedule.Snapshot schedule = find(id).orElseThrow();
            MessageSnapshot occurrence = requireNonNull(schedule.occurrence());
            Instant slot = requireNonNull(occurrence.envelope().slot());
            assertThat(slot.toEpochMilli()).isGreaterThan(last - 2 * PERIOD);
            long slots = (slot.toEpochMilli() - T0 - PERIOD) / PERIOD;
            assertThat(used.getOrDefault(id, 0) + cancelled.getOrDefault(id, 0) + schedule.skipped())
                    .as(id + " until " + slot + ": " + used + cancelled + schedule.skipped())
                    .isEqualTo(slots);
        }
        removeAll();
    }

    /** Schedules that are also changed, paused and removed. */
    private void history() {
        for (int call = 0; call < CALLS; call++) {
            passTime();
            String id = IDS.get(random.nextInt(IDS.size()));
            switch (random.nextInt(20)) {
                case 0, 1 -> put(id, random.nextInt(4) == 0 ? 2 * PERIOD : PERIOD, "p" + random.nextInt(3));
                case 2 -> cancel(id);
                case 3 -> reschedule(id);
                case 4 -> change(id, random.nextInt(3) == 0 ? Action.REMOVE : Action.PAUSE);
                case 5, 6 -> change(id, Action.RESUME);
                case 7 -> send("x");
                case 8 -> send(id);
                default -> poll();
            }
        }
        usual();
        IDS.forEach(id -> change(id, Action.RESUME));
        settleAll();
        for (String id : IDS) {
            find(id).ifPresent(schedule ->
                    assertThat(schedule.occurrence()).as(id + ": " + schedule).isNotNull());
        }
        // a stop may have left an entry of a key, which its next use removes
        send("y");
        settleAll();
        removeAll();
    }

    private void passTime() {
        if (random.nextInt(3) == 0) {
            pass(random.nextInt(4) == 0 ? random.nextInt(60_000) : random.nextInt(6_000));
        }
    }

    private void pass(long millis) {
        now += millis;
        bench.clock(now);
    }

    /** Handles what is due now, and what is then due half a minute later, when all leases and delays have ended. */
    private long settleAll() {
        how = how == Scripts.STOPPED ? Scripts.ONCE : how;
        int idle = 0;
        while (idle < 2) {
            Map<String, Held> mine = Map.copyOf(held);
            Polls polls = poll(10);
            mine.forEach((id, lease) -> polls.acknowledge(id, lease.token()));
            PollReply reply = polled(polls);
            acknowledged(mine, reply);
            if (mine.isEmpty() && reply.claims().isEmpty() && idle++ == 0) {
                pass(31_000);
            }
        }
        polled(poll(0));
        return now;
    }

    private void removeAll() {
        IDS.forEach(id -> change(id, Action.REMOVE));
        settleAll();
        for (String hash : List.of("messages", "deliveries", "recurrences")) {
            assertThat(bench.redis().call("HLEN", bench.key(hash))).as(hash).isEqualTo(1L);
        }
        for (String set : List.of("schedule", "leases", "recurring")) {
            assertThat(bench.redis().call("ZCARD", bench.key(set))).as(set).isEqualTo(1L);
        }
    }

    private Optional<Schedule.Snapshot> find(String id) {
        return Await.result(bench.process().recurrences().find(bench.shard(), id));
    }

    private void send(String id) {
        call(
                "send",
                () -> bench.send(Sends.keyed(
                        id, aKey(), new Due(random.nextInt(20_000), true), OnDuplicate.REJECT, "n" + ++nonces)));
    }

    private @Nullable String aKey() {
        return key == null ? null : key + random.nextInt(2);
    }

    private void put(String id, long period, String payload) {
        String nonce = "r" + ++nonces;
        OutgoingMessage message = OutgoingMessage.of(
                id, Due.NOW, OnDuplicate.REJECT, nonce, MessageLimits.NONE, aKey(), Map.of(), payload.getBytes(UTF_8));
        log.append(id).append(' ').append(period).append(payload).append(' ');
        Optional<Schedule.Result> result = call(
                "recur",
                () -> Await.result(bench.process()
                        .recurrences()
                        .put(
                                bench.shard(),
                                message,
                                nonce,
                                Timing.every(Duration.ofMillis(period)),
                                Instant.ofEpochMilli(now),
                                Durability.NONE)));
        Schedule.Result.Outcome outcome =
                result == null ? null : result.map(Schedule.Result::outcome).orElse(null);
        // the second execution changes nothing
        if (how == Scripts.TWICE
                || (outcome != Schedule.Result.Outcome.UNCHANGED && outcome != Schedule.Result.Outcome.UPDATED)) {
            ended.remove(id);
            // it may be handled on, and the new timing may have earlier slots
            find(id).map(Schedule.Snapshot::occurrence)
                    .map(occurrence -> occurrence.envelope().slot())
                    .ifPresent(slot -> retimed.put(id, slot.toEpochMilli()));
        }
    }

    private void change(String id, Action action) {
        log.append(id).append(' ').append(action).append(' ');
        call(
                "recurrence",
                () -> Await.result(bench.process().recurrences().change(bench.shard(), id, action, Durability.NONE)));
        if (action == Action.REMOVE) {
            ended.remove(id);
        }
    }

    private void cancel(String id) {
        log.append(id).append(' ');
        Optional<Instant> slot = find(id).map(Schedule.Snapshot::occurrence)
                .map(occurrence -> occurrence.envelope().slot());
        Boolean found = call(
                "cancel",
                () -> Await.result(bench.store().cancel(bench.shard(), id, Durability.NONE))
                        .isCancelled());
        held.remove(id);
        if (found == null) {
            ended.remove(id);
        } else if (found || how == Scripts.TWICE) {
            // the second execution finds nothing
            slot.filter(time -> !Objects.equals(retimed.get(id), time.toEpochMilli()))
                    .ifPresent(time -> ended.put(id, time.toEpochMilli()));
            slot.ifPresent(time -> cancelled.merge(id, 1, Integer::sum));
        }
    }

    private void reschedule(String id) {
        log.append(id).append(' ');
        call(
                "reschedule",
                () -> Await.result(bench.store()
                        .reschedule(bench.shard(), id, new Due(random.nextInt(30_000), true), Durability.NONE)));
    }

    private Polls poll(int most) {
        return Polls.by("w1", ++sequence)
                .gap(Duration.ofDays(1))
                .lease(Duration.ofSeconds(30))
                .claim(most)
                .claimSuspect();
    }

    private void poll() {
        Polls polls = poll(random.nextInt(3));
        Map<String, Held> acknowledged = new HashMap<>();
        for (String id : new ArrayList<>(held.keySet())) {
            Held lease = requireNonNull(held.get(id));
            switch (random.nextInt(10)) {
                case 0, 1, 2, 3 -> {
                    polls.acknowledge(id, lease.token());
                    acknowledged.put(id, lease);
                }
                case 4 -> {
                    polls.deadLetter(id, lease.token(), DeadLetterCause.NOT_RETRYABLE);
                    acknowledged.put(id, lease);
                }
                case 5 -> {
                    polls.retry(id, lease.token(), random.nextInt(10_000));
                    held.remove(id);
                }
                case 6 -> {
                    polls.release(id, lease.token());
                    held.remove(id);
                }
                default -> {
                    // it is handled on, maybe until its lease ends
                }
            }
        }
        acknowledged(acknowledged, polled(polls));
    }

    private void acknowledged(Map<String, Held> settled, PollReply reply) {
        settled.forEach((id, lease) -> {
            Held newer = held.get(id);
            if (newer != null && newer.token().equals(lease.token())) {
                held.remove(id);
            }
            boolean rejected = reply.rejected().stream()
                    .anyMatch(settlement -> settlement.id().equals(id));
            if (!rejected && lease.slot() > 0) {
                used.merge(id, 1, Integer::sum);
                if (!Objects.equals(retimed.get(id), lease.slot())) {
                    ended.put(id, lease.slot());
                }
            }
        });
        reply.claims().forEach(this::claimed);
    }

    /** Polls until there is a reply, as a consumer does. */
    private PollReply polled(Polls polls) {
        PollReply reply = null;
        while (reply == null) {
            String script = random.nextBoolean() ? "poll" : "rearm";
            reply = call(script, () -> bench.poll(polls));
        }
        return reply;
    }

    private void claimed(Claim claim) {
        Instant slot = EnvelopeFormat.read(claim.stored()).slot();
        long millis = slot == null ? 0 : slot.toEpochMilli();
        log.append("claimed ")
                .append(claim.id())
                .append(' ')
                .append(millis - T0)
                .append('\n');
        assertThat(claim.dueMillis()).as("due of " + claim.id()).isLessThanOrEqualTo(now);
        Held before = held.get(claim.id());
        if (before != null) {
            assertThat(before.end()).as("lease of " + claim.id()).isLessThanOrEqualTo(now);
        }
        if (millis > 0 && ended.containsKey(claim.id())) {
            assertThat(millis).as("slot of " + claim.id()).isGreaterThan(requireNonNull(ended.get(claim.id())));
        }
        held.put(claim.id(), new Held(claim.token(), millis, now + 30_000));
        handled++;
    }

    /** Calls, and repeats the call or not if it stops; null if it stopped and is not repeated. */
    private <T> @Nullable T call(String script, Supplier<T> call) {
        boolean stops = how == Scripts.STOPPED && random.nextInt(4) == 0;
        int write = random.nextInt(14);
        if (stops) {
            bench.stoppedBefore(script, write);
        }
        log.append(now - T0).append(' ').append(script);
        try {
            T result = call.get();
            log.append(": ").append(result instanceof PollReply ? "" : result).append('\n');
            return result;
        } catch (RedisCallException e) {
            log.append(" stopped before ").append(write).append('\n');
            usual();
            return random.nextBoolean() ? call(script, call) : null;
        } finally {
            usual();
        }
    }
}
