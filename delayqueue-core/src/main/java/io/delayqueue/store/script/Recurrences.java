package io.delayqueue.store.script;

import io.delayqueue.message.Completions;
import io.delayqueue.message.Durability;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Schedule;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Timing;
import io.delayqueue.message.Timing.Advance;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.redis.ShardKeys;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.PollRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Stores recurring messages, and schedules their next occurrences, see {@code recurring.lua}. Thread-safe; no method blocks.
 *
 * <p>Futures fail as those of {@link io.delayqueue.store.MessageStore} do.
 */
public final class Recurrences {

    private static final Log log = LogFactory.getLog(Recurrences.class);

    private static final LuaScript RECUR = script("recur");
    private static final LuaScript RECURRENCE = script("recurrence");
    private static final LuaScript RECURRENCES = script("recurrences");
    private static final LuaScript UNARMED = script("unarmed");
    private static final LuaScript REARM = script("rearm");

    /** Largest number of messages that are re-armed in a call. */
    private static final int AT_ONCE = 100;

    /** Number of messages of a shard that are searched for overdue ones. */
    private static final int MAX_SEARCHED = 1000;

    /** Largest number of calls of a put. More than two are needed only if the clocks of Redis and this process differ. */
    private static final int PUT_CALLS = 5;

    private static final Pattern ENDING = Pattern.compile("(\\S+) (\\d+) (\\d*)");

    private final ShardCalls calls;
    /** Shards whose messages are being re-armed. */
    private final Set<Shard> rearming = ConcurrentHashMap.newKeySet();

    private final Set<String> warnedOf = ConcurrentHashMap.newKeySet();

    /** Creates the recurring messages of one namespace. */
    public Recurrences(ScriptRunner scripts, KeySpace keySpace, TopicRegistry registry) {
        this(new ShardCalls(scripts, keySpace, registry));
    }

    Recurrences(ShardCalls calls) {
        this.calls = calls;
    }

    private static LuaScript script(String name) {
        return LuaScript.beside(Recurrences.class, name);
    }

    /** What {@link #change} does. */
    public enum Action {
        /** No further occurrence starts. */
        PAUSE("p"),
        /** Occurrences start from the next slot on. */
        RESUME("r"),
        /** Removes the message, or, if it is being handled or waits for its next attempt, its recurrence. */
        REMOVE("x");

        private final String letter;

        Action(String letter) {
            this.letter = letter;
        }
    }

    /**
     * Stores a recurring message, or changes it.
     *
     * @param message without a delay; its nonce is given apart
     * @param now the time of this process' clock, from which the first slot of a cron expression is computed. It is computed
     *     again if it has passed by Redis' clock
     * @return the result; empty if another message with this id is live
     */
    public CompletableFuture<Optional<Schedule.Result>> put(
            Shard shard, OutgoingMessage message, String nonce, Timing timing, Instant now, Durability durability) {
        return put(shard, message, nonce, timing, now, durability, PUT_CALLS);
    }

    private CompletableFuture<Optional<Schedule.Result>> put(
            Shard shard,
            OutgoingMessage message,
            String nonce,
            Timing timing,
            Instant now,
            Durability durability,
            int left) {
        long millis = now.toEpochMilli();
        long slot = timing.first(message.id(), Instant.ofEpochMilli(millis)).toEpochMilli();
        String next = timing.isPeriodic() ? "+" + (slot - millis) : Long.toString(slot);
        return calls.run(
                        RECUR,
                        shard,
                        ShardKeys::queueWithRecurrences,
                        call -> call.durability(durability)
                                .add(message.id())
                                .add(timing.text())
                                .add(next)
                                .add(nonce)
                                .add(afterNonce(message.rest(), nonce)))
                .thenCompose(reply -> {
                    confirm(reply, durability);
                    char outcome = Replies.text(reply.get(2)).charAt(0);
                    if (outcome == 'a' && left > 1) {
                        Instant redis = Replies.micros(reply.get(1));
                        return put(shard, message, nonce, timing, redis, durability, left - 1);
                    }
                    return CompletableFuture.completedFuture(result(outcome, reply.get(3)));
                });
    }

    private static Optional<Schedule.Result> result(char outcome, Object slot) {
        Schedule.Result.Outcome changed = switch (outcome) {
            case 'c' -> Schedule.Result.Outcome.CREATED;
            case 'n' -> Schedule.Result.Outcome.UNCHANGED;
            case 'u' -> Schedule.Result.Outcome.UPDATED;
            case 't' -> Schedule.Result.Outcome.RETIMED;
            case 'd' -> null;
            default -> throw new IllegalStateException("recur.lua replied with the outcome " + outcome);
        };
        return changed == null
                ? Optional.empty()
                : Optional.of(new Schedule.Result(changed, Replies.text(slot).isEmpty() ? null : Replies.millis(slot)));
    }

    /** What {@code recur.lua} stores after nonce and slot: the limits, the headers and the payload. */
    private static byte[] afterNonce(byte[] rest, String nonce) {
        int from = nonce.length() + (rest[0] == '+' ? 1 : 0);
        return Arrays.copyOfRange(rest, from, rest.length);
    }

    /** Changes a recurring message; false if there is none with this id. */
    public CompletableFuture<Boolean> change(Shard shard, String id, Action action, Durability durability) {
        return calls.runIfExists(
                        RECURRENCE,
                        shard,
                        ShardKeys::queueWithRecurrences,
                        call -> call.durability(durability).add(id).add(action.letter))
                .thenApply(found -> found.map(reply -> {
                            confirm(reply, durability);
                            return Replies.text(reply.get(1)).equals("1");
                        })
                        .orElse(false));
    }

    private static void confirm(List<Object> reply, Durability durability) {
        RedisCallException unconfirmed = Replies.unconfirmed(reply, durability);
        if (unconfirmed != null) {
            throw unconfirmed;
        }
    }

    /** Finds a recurring message. */
    public CompletableFuture<Optional<Schedule.Snapshot>> find(Shard shard, String id) {
        return read(shard, id, "", 1)
                .thenApply(page -> page.schedules().stream().findFirst());
    }

    /**
     * Lists recurring messages.
     *
     * @param after the id after which the listing starts; empty for the beginning
     * @param count largest number, 1 to 500; large messages reduce it
     */
    public CompletableFuture<Schedule.Page> list(Shard shard, String after, int count) {
        return read(shard, "", after, count);
    }

    private CompletableFuture<Schedule.Page> read(Shard shard, String id, String after, int count) {
        return read(shard, id, after, count, PollRequest.MAX_BYTES)
                .thenApply(found ->
                        found.map(reply -> page(shard.topic(), reply)).orElse(new Schedule.Page(List.of(), null)));
    }

    private CompletableFuture<Optional<List<Object>>> read(
            Shard shard, String id, String after, int count, long maxBytes) {
        return calls.runIfExists(
                RECURRENCES,
                shard,
                ShardKeys::queueWithRecurrences,
                call -> call.add(id).add(after).add(count).add(maxBytes).add(ShardCalls.SENTINEL));
    }

    /**
     * Finds recurring messages that are not paused, and of which no occurrence was acknowledged for two periods and a minute, or
     * none at all since the last one became a dead letter. Looks at the first 1,000.
     *
     * @return computes their ids, which takes a while
     */
    public CompletableFuture<Supplier<List<String>>> overdue(Shard shard) {
        return read(shard, "", "", MAX_SEARCHED, 0)
                .thenApply(found -> () -> found.map(Recurrences::overdue).orElse(List.of()));
    }

    private static List<String> overdue(List<Object> reply) {
        Instant now = Replies.micros(reply.get(1));
        List<String> overdue = new ArrayList<>();
        for (Object part : Replies.list(reply.get(3))) {
            List<Object> parts = Replies.list(part);
            String id = Replies.text(parts.get(0));
            Recurrence recurrence = Recurrence.read(Replies.text(parts.get(1)));
            boolean passed = Replies.text(parts.get(2)).equals("1");
            if (recurrence != null && recurrence.isOverdue(id, now, passed)) {
                overdue.add(id);
            }
        }
        return overdue;
    }

    private static Schedule.Page page(String topic, List<Object> reply) {
        Instant now = Replies.micros(reply.get(1));
        String last = Replies.text(reply.get(2));
        List<Schedule.Snapshot> schedules = new ArrayList<>();
        for (Object part : Replies.list(reply.get(3))) {
            List<Object> parts = Replies.list(part);
            String id = Replies.text(parts.get(0));
            List<Object> stored = Replies.list(parts.get(2));
            MessageSnapshot occurrence =
                    SnapshotReply.read(topic, id, now, stored).orElse(null);
            Recurrence recurrence = Recurrence.read(Replies.text(parts.get(1)));
            if (recurrence != null && stored.get(0) != null) {
                schedules.add(new Schedule.Snapshot(
                        topic,
                        id,
                        now,
                        recurrence.timing(),
                        recurrence.paused(),
                        recurrence.skipped(),
                        recurrence.ended(),
                        recurrence.ended() == null ? null : outcome(recurrence.how()),
                        recurrence.succeeded(),
                        next(occurrence, Replies.bytes(stored.get(0))),
                        occurrence));
            }
        }
        return new Schedule.Page(schedules, last.isEmpty() ? null : last);
    }

    /** The message of the next occurrence: what was put while this one is being handled takes over. */
    private static Envelope next(@Nullable MessageSnapshot occurrence, byte[] stored) {
        MessageSnapshot successor = occurrence == null ? null : occurrence.successor();
        return successor == null ? SnapshotReply.envelope(stored) : successor.envelope();
    }

    private static Schedule.Snapshot.@Nullable Ending outcome(String letter) {
        return switch (letter) {
            case "a" -> Schedule.Snapshot.Ending.ACKNOWLEDGED;
            case "d" -> Schedule.Snapshot.Ending.DEAD_LETTERED;
            case "c" -> Schedule.Snapshot.Ending.CANCELLED;
            case "-" -> Schedule.Snapshot.Ending.UNKNOWN;
            default -> null;
        };
    }

    /**
     * Schedules the next occurrences of the messages that are unarmed. Of calls for a shard at the same time, one has an
     * effect. A failure is not told: the next poll of the shard says again that messages are unarmed.
     */
    void rearm(Shard shard) {
        if (rearming.add(shard)) {
            rearmAll(shard, 0).whenComplete((done, failure) -> {
                rearming.remove(shard);
                if (failure != null && log.isDebugEnabled()) {
                    log.debug("The next occurrences in " + shard + " are not scheduled yet", failure);
                }
            });
        }
    }

    /** Skips those of which this process cannot compute the next slot. */
    private CompletableFuture<Void> rearmAll(Shard shard, int skipped) {
        return Completions.call(() -> calls.runIfExists(
                        UNARMED,
                        shard,
                        ShardKeys::queueWithRecurrences,
                        call -> call.add(skipped).add(AT_ONCE).add(PollRequest.MAX_BYTES)))
                .thenCompose(found -> {
                    List<Object> unarmed =
                            found.map(reply -> Replies.list(reply.get(2))).orElse(List.of());
                    List<Next> nexts = nexts(shard.topic(), found.map(reply -> Replies.micros(reply.get(1))), unarmed);
                    CompletableFuture<?> rearmed = nexts.isEmpty()
                            ? CompletableFuture.completedFuture(null)
                            : calls.runIfExists(
                                    REARM,
                                    shard,
                                    ShardKeys::queueWithRecurrences,
                                    call -> nexts.forEach(next -> next.write(call)));
                    return rearmed.thenCompose(reply -> unarmed.size() == AT_ONCE
                            ? rearmAll(shard, skipped + unarmed.size() - nexts.size())
                            : CompletableFuture.completedFuture(null));
                });
    }

    private List<Next> nexts(String topic, Optional<Instant> now, List<Object> found) {
        List<Next> nexts = new ArrayList<>(found.size());
        for (Object part : found) {
            List<Object> parts = Replies.list(part);
            String id = Replies.text(parts.get(0));
            String slot = Replies.text(parts.get(1));
            String recurrence = Replies.text(parts.get(3));
            try {
                nexts.add(new Next(
                        id,
                        slot,
                        recurrence,
                        next(id, slot, Replies.text(parts.get(2)), recurrence, now.orElseThrow())));
            } catch (RuntimeException e) {
                if (warnedOf.add(topic)) {
                    log.warn(
                            "The next occurrence of message " + Printable.of(id) + " in topic " + Printable.of(topic)
                                    + " cannot be computed by this process. It is left to others",
                            e);
                }
            }
        }
        return nexts;
    }

    /** The next slot; without an effect if the message no longer recurs. */
    private static Advance next(String id, String slot, String ending, String recurrence, Instant now) {
        Recurrence text = Recurrence.read(recurrence);
        Matcher end = ENDING.matcher(ending);
        if (slot.isEmpty() || text == null || !end.matches()) {
            return new Advance(Instant.EPOCH, 0);
        }
        if (!end.group(3).isEmpty()) {
            return new Advance(Instant.ofEpochMilli(Long.parseLong(end.group(3))), 0);
        }
        Instant last = Instant.ofEpochMilli(Long.parseLong(slot));
        Instant ended = Instant.ofEpochMilli(Long.parseLong(end.group(2)));
        boolean unused = slot.charAt(0) == '+';
        if (unused && last.isAfter(ended)) {
            return new Advance(last, 0);
        }
        Advance next = Timing.parse(text.timing()).after(id, last, ended, now.isBefore(ended) ? ended : now);
        // slots that pass while it is paused do not count
        return new Advance(next.slot(), end.group(1).equals("p") ? 0 : next.skipped() + (unused ? 1 : 0));
    }

    /** A message, as it was read, and its next slot. */
    private record Next(String id, String slot, String recurrence, Advance next) {

        void write(ScriptCall call) {
            call.add(id)
                    .add(slot)
                    .add(recurrence)
                    .add(next.slot().toEpochMilli())
                    .add(next.skipped());
        }
    }

    /**
     * A stored recurrence, see {@code recurring.lua}.
     *
     * @param how the letter of how the last occurrence ended
     */
    private record Recurrence(
            boolean paused,
            long skipped,
            @Nullable Instant ended,
            String how,
            @Nullable Instant succeeded,
            String timing) {

        /** Handlers of short periods take longer than these. */
        private static final Duration MARGIN = Duration.ofMinutes(1);

        private static final Pattern TEXT = Pattern.compile("\\d+ (\\S+) (\\d+) (\\d+) (\\S+) (\\d+) (.*)");

        /** Null if this version cannot read it. */
        static @Nullable Recurrence read(String text) {
            Matcher parts = TEXT.matcher(text);
            return parts.matches()
                    ? new Recurrence(
                            parts.group(1).equals("p"),
                            Long.parseLong(parts.group(2)),
                            time(parts.group(3)),
                            parts.group(4),
                            time(parts.group(5)),
                            parts.group(6))
                    : null;
        }

        private static @Nullable Instant time(String millis) {
            return millis.equals("0") ? null : Instant.ofEpochMilli(Long.parseLong(millis));
        }

        /**
         * Whether no occurrence was acknowledged for two periods and a minute.
         *
         * @param passed whether the slot of the present occurrence has passed, or it has started; otherwise, the schedule may
         *     have been paused
         */
        boolean isOverdue(String id, Instant now, boolean passed) {
            boolean failed = how.equals("d");
            if (paused || !(failed || passed)) {
                return false;
            }
            if (succeeded == null) {
                return failed;
            }
            try {
                Timing slots = Timing.parse(timing);
                return slots.next(id, slots.next(id, succeeded)).plus(MARGIN).isBefore(now);
            } catch (RuntimeException e) {
                return false; // of another version
            }
        }
    }
}
