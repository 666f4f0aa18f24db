package io.delayqueue.admin;

import io.delayqueue.message.TopicCounts;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.store.LimitState;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.store.script.RegisteredLimits;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a topic, and what they hold back now. Times are those of Redis' clock.
 *
 * @param declared the limits that the properties of nodes declare; null if none do
 * @param set the limits that were set at run time; null if none were
 * @param effective the limits in effect: those that were set, else those that are declared
 * @param used number of leased messages, each of which uses a place of {@code maxConcurrent}
 * @param full whether sends are rejected because the topic has {@code maxMessages}
 * @param heldBackBy what holds due messages back; null if no message is held back. Limits do not hold back messages that wait for
 *     another message of their key, a hold does
 * @param heldBackSince since when the oldest of these messages has been due; null if no message is held back
 * @param reopensAt when the rate permits the next start, or the hold ends; null if neither prevents one now
 * @param emptyAt when the last due message starts at the present rate; null unless the rate holds messages back
 * @param hold the hold of the topic; null if there is none
 */
public record LimitStatus(
        @Nullable TopicLimits declared,
        @Nullable TopicLimits set,
        TopicLimits effective,
        long used,
        boolean full,
        @Nullable HeldBackBy heldBackBy,
        @Nullable Instant heldBackSince,
        @Nullable Instant reopensAt,
        @Nullable Instant emptyAt,
        @Nullable Hold hold) {

    /** What holds due messages back. */
    public enum HeldBackBy {
        /** A message asked to hold the topic. */
        HOLD,
        /** As many messages are leased as {@code maxConcurrent} permits. */
        CONCURRENCY,
        /** Every key that has due messages has reached {@code maxConcurrentPerKey}. */
        CONCURRENCY_PER_KEY,
        /** The rate. */
        RATE
    }

    /**
     * A message holds the topic: until a time, no message is claimed.
     *
     * @param until the end of the hold
     * @param by id of the message
     * @param times how often in a row this message asked for a hold
     */
    public record Hold(Instant until, String by, int times) {}

    /** The status of a topic with limits or a hold; null if it has neither. */
    static @Nullable LimitStatus ofLimited(RegisteredLimits registered, List<ShardCounts> shards) {
        LimitStatus status = of(registered, shards);
        return registered.equals(RegisteredLimits.NONE) && status.hold == null ? null : status;
    }

    static LimitStatus of(RegisteredLimits registered, List<ShardCounts> shards) {
        LimitState state = shards.size() == 1 ? shards.get(0).limits() : null;
        if (state == null) {
            return new LimitStatus(
                    registered.declared(),
                    registered.set(),
                    registered.effective(),
                    shards.stream().mapToLong(shard -> shard.counts().leased()).sum(),
                    false,
                    null,
                    null,
                    null,
                    null,
                    null);
        }
        TopicCounts counts = shards.get(0).counts();
        // suspects wait for isolation
        long due = counts.ready() - counts.suspects();
        LimitState.Hold hold = state.hold();
        HeldBackBy by = due > 0 ? heldBackBy(state, due > counts.parked(), counts.leased()) : null;
        long all = counts.scheduled() + counts.ready() + counts.leased();
        return new LimitStatus(
                registered.declared(),
                registered.set(),
                registered.effective(),
                counts.leased(),
                state.maxMessages() > 0 && all >= state.maxMessages(),
                by,
                by == null ? null : state.now().minus(counts.lag()),
                hold != null ? hold.until() : state.reopensAt(),
                by == HeldBackBy.RATE ? emptyAt(state, due) : null,
                hold == null ? null : new Hold(hold.until(), hold.id(), hold.times()));
    }

    /**
     * What holds due messages back.
     *
     * @param claimable whether one of them waits for no other message of its key
     */
    private static @Nullable HeldBackBy heldBackBy(LimitState state, boolean claimable, long leased) {
        if (state.hold() != null) {
            return HeldBackBy.HOLD;
        }
        if (!claimable) {
            return null;
        }
        if (state.maxConcurrent() > 0 && leased >= state.maxConcurrent()) {
            return HeldBackBy.CONCURRENCY;
        }
        if (state.reopensAt() != null) {
            return HeldBackBy.RATE;
        }
        return state.allKeysAtLimit() ? HeldBackBy.CONCURRENCY_PER_KEY : null;
    }

    private static Instant emptyAt(LimitState state, long due) {
        return state.now().plus(due * state.intervalMicros(), ChronoUnit.MICROS);
    }
}
