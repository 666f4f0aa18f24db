package io.delayqueue.admin;

import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Due;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.store.LetterQuery;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.Purge;
import io.delayqueue.store.StepRequest;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.SendLimits;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Operates the queue: counts what stands where; reads, replays and purges dead letters. Thread-safe.
 *
 * <p>Each method throws {@link io.delayqueue.template.DelayQueueUnavailableException} when Redis doesn't answer, and may
 * then be repeated. What goes over many letters is not atomic: whatever was done before a failure stays done. A topic that
 * nobody uses is an empty one, and nothing here makes Redis keep anything of it.
 */
public final class DelayQueueAdmin {

    /** The most letters of a page. */
    public static final int MAX_PAGE = StepRequest.MAX_BATCH;

    private final MessageStore store;
    private final TopicRegistry topics;
    private final EventBus events;
    private final SendLimits limits;
    private final InstantSource clock;
    private final TopicDeletion deletion;
    private final NodeDirectory nodes;
    private final LetterPages pages;

    /**
     * Over a store.
     *
     * @param limits how far ahead a replay may be due
     * @param clock by which a date is so far ahead
     * @param deletion by which topics are deleted
     * @param nodes by which topics are paused
     */
    public DelayQueueAdmin(
            MessageStore store,
            TopicRegistry topics,
            EventBus events,
            SendLimits limits,
            InstantSource clock,
            TopicDeletion deletion,
            NodeDirectory nodes) {
        this.store = store;
        this.topics = topics;
        this.events = events;
        this.limits = limits;
        this.clock = clock;
        this.deletion = deletion;
        this.nodes = nodes;
        this.pages = new LetterPages(store);
    }

    /** Counts a topic's messages. */
    public TopicCounts counts(String topic) {
        return asked(
                "count topic " + topic,
                topic,
                () -> TopicCounts.of(topics.lookThrough(
                                topic,
                                shards -> shards.stream().map(store::count).toList())
                        .orElse(List.of())));
    }

    /**
     * Reads the youngest dead letters of a topic. One or two round trips for each shard.
     *
     * @param count at most so many, 1 to 500; fewer when they are large
     */
    public LetterPage letters(String topic, int count) {
        return letters(topic, count, null);
    }

    /**
     * Reads on.
     *
     * @param count at most so many, 1 to 500; fewer when they are large
     * @param page as {@link LetterPage#next()} gave it, or null for the first
     * @throws IllegalArgumentException if it isn't such a one
     */
    public LetterPage letters(String topic, int count, @Nullable String page) {
        if (count < 1 || count > MAX_PAGE) {
            throw new IllegalArgumentException("A page has 1 to " + MAX_PAGE + " letters, but not " + count);
        }
        LetterCursor cursor = page == null ? LetterCursor.from(null) : LetterCursor.parse(page);
        return asked(
                "read dead letters of topic " + topic,
                topic,
                () -> topics.lookThrough(topic, shards -> pages.read(shards, cursor, count))
                        .orElse(new LetterPage(List.of(), null)));
    }

    /** Reads one dead letter. */
    public Optional<DeadLetter> letter(String topic, String letterId) {
        return inShardOf(
                        topic,
                        letterId,
                        "read",
                        shard -> store.letters(shard, new LetterQuery.One(letterId)).stream()
                                .findFirst())
                .flatMap(Function.identity());
    }

    /** Schedules a dead letter's message anew, due at once, attempts from zero. */
    public ReplayOutcome replay(String topic, String letterId) {
        return replay(topic, letterId, Due.NOW);
    }

    /**
     * Schedules a dead letter's message anew, attempts from zero.
     *
     * @param delay zero or more, at most the configured limit (10 years by default)
     * @throws IllegalArgumentException if it is longer; the letter stays
     */
    public ReplayOutcome replay(String topic, String letterId, Duration delay) {
        return replay(topic, letterId, due(delay));
    }

    /** Schedules a dead letter's message anew, due at a date, attempts from zero. */
    public ReplayOutcome replay(String topic, String letterId, Instant dueAt) {
        return replay(topic, letterId, Due.at(dueAt));
    }

    private ReplayOutcome replay(String topic, String letterId, Due due) {
        check(due);
        return inShardOf(topic, letterId, "replay", shard -> replay(shard, letterId, due))
                .orElse(ReplayOutcome.NOT_FOUND);
    }

    private ReplayOutcome replay(Shard shard, String letterId, Due due) {
        ReplayOutcome outcome = store.replay(shard, letterId, due);
        if (outcome == ReplayOutcome.REPLAYED) {
            events.publish(listener -> listener.replayed(shard.topic(), letterId));
        }
        return outcome;
    }

    /**
     * Replays all letters that died before this call began, due at once. Those stay whose id is live, and those that nobody
     * can read.
     */
    public ReplaySummary replayAll(String topic) {
        return replayAll(topic, Due.NOW);
    }

    /**
     * Replays all letters that died before this call began. Those stay whose id is live, and those that nobody can read.
     *
     * @param delay zero or more, for each from its own replay on
     */
    public ReplaySummary replayAll(String topic, Duration delay) {
        return replayAll(topic, due(delay));
    }

    /**
     * Replays all letters that died before this call began, due at a date. Those stay whose id is live, and those that
     * nobody can read.
     */
    public ReplaySummary replayAll(String topic, Instant dueAt) {
        return replayAll(topic, Due.at(dueAt));
    }

    private void check(Due due) {
        String objection = limits.objectionTo(due, clock);
        if (objection != null) {
            throw new IllegalArgumentException("No replay: " + objection);
        }
    }

    private ReplaySummary replayAll(String topic, Due due) {
        check(due);
        AtomicLong replayed = new AtomicLong();
        return asked(
                () -> "replay all dead letters of topic " + topic
                        + (replayed.get() == 0 ? "" : ", after replaying " + replayed + " of them,"),
                topic,
                () -> topics.lookThrough(topic, shards -> replayAll(shards, due, replayed))
                        .map(kept -> new ReplaySummary(replayed.get(), kept))
                        .orElse(new ReplaySummary(0, 0)));
    }

    /** Returns how many stay. */
    private long replayAll(List<Shard> shards, Due due, AtomicLong replayed) {
        long kept = 0;
        for (Map.Entry<Shard, Instant> shard : youngest(shards).entrySet()) {
            LetterCursor cursor = LetterCursor.from(shard.getValue());
            List<DeadLetter> page = store.letters(shard.getKey(), cursor.page(MAX_PAGE));
            while (!page.isEmpty()) {
                List<DeadLetter> left = new ArrayList<>();
                for (DeadLetter letter : page) {
                    ReplayOutcome outcome = replay(shard.getKey(), letter.letterId(), due);
                    if (outcome == ReplayOutcome.REPLAYED) {
                        replayed.incrementAndGet();
                    } else if (outcome != ReplayOutcome.NOT_FOUND) {
                        left.add(letter);
                    }
                }
                kept += left.size();
                cursor = cursor.behind(page, left);
                page = store.letters(shard.getKey(), cursor.page(MAX_PAGE));
            }
        }
        return kept;
    }

    /**
     * When the youngest letter of each shard died that has any, by Redis' clock: what dies from now on died later, or in
     * that millisecond.
     */
    private Map<Shard, Instant> youngest(List<Shard> shards) {
        Map<Shard, Instant> youngest = new LinkedHashMap<>();
        for (Shard shard : shards) {
            store.letters(shard, LetterCursor.from(null).page(1))
                    .forEach(letter -> youngest.put(shard, letter.diedAt()));
        }
        return youngest;
    }

    /**
     * Removes a dead letter for good.
     *
     * @return whether it was there
     */
    public boolean purge(String topic, String letterId) {
        return inShardOf(topic, letterId, "purge", shard -> store.purge(shard, new Purge.Named(List.of(letterId))) > 0)
                .orElse(false);
    }

    /**
     * Removes for good all dead letters that died before this call began.
     *
     * @return how many
     */
    public long purgeAll(String topic) {
        return purgeAll(topic, this::youngest);
    }

    /**
     * Removes for good all dead letters that died at a moment or before.
     *
     * @param until by Redis' clock
     * @return how many
     */
    public long purgeAll(String topic, Instant until) {
        return purgeAll(topic, shards -> shards.stream().collect(Collectors.toMap(shard -> shard, shard -> until)));
    }

    private long purgeAll(String topic, Function<List<Shard>, Map<Shard, Instant>> until) {
        return asked(
                "purge the dead letters of topic " + topic,
                topic,
                () -> topics.lookThrough(
                                topic,
                                shards -> until.apply(shards).entrySet().stream()
                                        .mapToLong(shard -> purge(shard.getKey(), shard.getValue()))
                                        .sum())
                        .orElse(0L));
    }

    private long purge(Shard shard, Instant until) {
        long removed = 0;
        int last;
        do {
            last = store.purge(shard, new Purge.DiedUntil(until));
            removed += last;
        } while (last == StepRequest.MAX_BATCH);
        return removed;
    }

    /**
     * Deletes a topic that holds nothing: what is in Redis of it, its pause and its registration. It comes into being
     * again by the next send, or the next look of a listener that runs somewhere. No message is ever lost by it: one
     * that is sent meanwhile stops the deletion or comes into the topic anew.
     *
     * @return false if it isn't registered
     * @throws IllegalStateException if messages are scheduled or leased, or there are dead letters; it stays as it is
     */
    public boolean deleteTopic(String topic) {
        return asked("delete topic " + topic, topic, () -> {
            boolean deleted = deletion.delete(topic);
            if (deleted) {
                nodes.resume(topic);
            }
            return deleted;
        });
    }

    /**
     * Pauses a topic on all nodes until {@link #resumeTopic}, also on those that start later and while nobody has used it:
     * its listeners, also those of its dead letters, take no more deliveries and hand back what they have not begun. They
     * hear of it at once, or with their next heartbeat. Sending goes on, and so does pulling. Listeners that are paused
     * on their own stay so, whatever becomes of their topic.
     */
    public void pauseTopic(String topic) {
        asked("pause topic " + topic, topic, () -> {
            nodes.pause(topic);
            return true;
        });
    }

    /** Ends the pause of a topic on all nodes. */
    public void resumeTopic(String topic) {
        asked("resume topic " + topic, topic, () -> {
            nodes.resume(topic);
            return true;
        });
    }

    private static Due due(Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("A delay is zero or more, but is " + delay);
        }
        return Due.after(delay);
    }

    /** A letter's id is that of its message, an at sign and the death; anything else is no letter's. */
    private <T> Optional<T> inShardOf(String topic, String letterId, String verb, Function<Shard, T> call) {
        int end = letterId.lastIndexOf('@');
        if (end < 1) {
            return Optional.empty();
        }
        String messageId = letterId.substring(0, end);
        return asked(
                verb + " dead letter " + letterId + " of topic " + topic,
                topic,
                () -> topics.lookFor(topic, messageId, call));
    }

    private static <T> T asked(String attempt, String topic, Supplier<T> call) {
        return asked(() -> attempt, topic, call);
    }

    private static <T> T asked(Supplier<String> attempt, String topic, Supplier<T> call) {
        DelayMessage.checkTopic(topic);
        try {
            return call.get();
        } catch (RuntimeException e) {
            throw DelayQueueException.after("To " + attempt.get(), e);
        }
    }
}
