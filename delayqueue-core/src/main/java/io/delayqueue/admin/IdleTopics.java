package io.delayqueue.admin;

import io.delayqueue.Internal;
import io.delayqueue.coordination.KnownNodes;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.TopicNotEmptyException;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Deletes topics that have been idle for a configured time. A topic is idle if each sample of that time shows it empty,
 * without consumers, limits and pauses. The next send creates the topic again; no message is lost. Thread-safe.
 *
 * <p>Topics of several shards are not deleted: a sender that does not configure the number of shards would create
 * them again with one shard.
 */
@Internal
public final class IdleTopics {

    private static final Log log = LogFactory.getLog(IdleTopics.class);
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofDays(365);

    /** Maximum number of topics deleted after one sample. The deletions take some hundred round trips. */
    static final int MAX_AT_ONCE = 20;

    private final TopicDeletion deletion;
    private final TopicRegistry registry;
    private final NodeDirectory nodes;
    private final Duration after;
    private final Executor executor;
    private final LongSupplier nanoTime;
    /** Time, by {@link #nanoTime}, of the first sample since which each sample shows the topic idle. */
    private Map<String, Long> idleSince = new HashMap<>();

    private CompletableFuture<Void> deleting = CompletableFuture.completedFuture(null);

    /**
     * Creates the deletion. It acts only on samples that it is given.
     *
     * @param after how long a topic is idle before it is deleted, 1 s to 365 d; zero for never
     * @param executor runs the deletions, which wait for Redis
     * @param nanoTime the monotonic clock
     * @throws IllegalArgumentException if the time is out of range
     */
    public IdleTopics(
            TopicDeletion deletion,
            TopicRegistry registry,
            NodeDirectory nodes,
            Duration after,
            Executor executor,
            LongSupplier nanoTime) {
        checkAfter(after);
        this.deletion = deletion;
        this.registry = registry;
        this.nodes = nodes;
        this.after = after;
        this.executor = executor;
        this.nanoTime = nanoTime;
    }

    /**
     * Checks the time after which an idle topic is deleted.
     *
     * @throws InvalidOptionException if it is out of range
     */
    public static void checkAfter(Duration forgetTopicsAfter) {
        boolean inRange = forgetTopicsAfter.compareTo(SHORTEST) >= 0 && forgetTopicsAfter.compareTo(LONGEST) <= 0;
        if (!forgetTopicsAfter.isZero() && !inRange) {
            throw new InvalidOptionException(
                    "forgetTopicsAfter",
                    "must be 0 for never, or from " + DurationText.of(SHORTEST) + " to " + DurationText.of(LONGEST)
                            + ", but was " + DurationText.of(forgetTopicsAfter));
        }
    }

    /**
     * Processes a sample of all topics. Does not block: the executor deletes idle topics, unless it is still deleting
     * those of an earlier sample.
     */
    public synchronized void sampled(List<TopicStatus> newest) {
        if (after.isZero()) {
            return;
        }
        long now = nanoTime.getAsLong();
        Map<String, Long> idle = new HashMap<>();
        for (TopicStatus status : newest) {
            if (isIdle(status)) {
                idle.put(status.topic(), idleSince.getOrDefault(status.topic(), now));
            }
        }
        idleSince = idle;
        List<String> due = idle.entrySet().stream()
                .filter(entry -> now - entry.getValue() >= after.toNanos())
                .map(Map.Entry::getKey)
                .sorted()
                .limit(MAX_AT_ONCE)
                .toList();
        if (due.isEmpty() || !deleting.isDone()) {
            return;
        }
        try {
            deleting = CompletableFuture.runAsync(() -> deleteAll(due), executor);
        } catch (RejectedExecutionException e) {
            log.debug("Idle topics are not deleted, because the engine is closed", e);
        }
    }

    private static boolean isIdle(TopicStatus status) {
        TopicCounts counts = status.counts();
        return counts != null
                && counts.scheduled() + counts.ready() + counts.leased() + counts.dead() == 0
                && status.consumers().isEmpty()
                && status.pauses().isEmpty()
                && status.limits() == null
                && status.shards() == 1;
    }

    private void deleteAll(List<String> topics) {
        try {
            KnownNodes knownNodes = nodes.read();
            for (String topic : topics) {
                // before the deletion, so that a topic that cannot be deleted does not block others
                resetIdleTime(topic);
                if (!isUsed(topic, knownNodes)) {
                    delete(topic);
                }
            }
        } catch (RedisCallException e) {
            log.debug("Idle topics are not deleted until a later sample, because Redis did not reply", e);
        } catch (RuntimeException | Error e) {
            log.warn("Idle topics could not be deleted", e);
        }
    }

    /** Whether a topic has pauses or is consumed now. Samples show neither dead-letter listeners nor later changes. */
    private static boolean isUsed(String topic, KnownNodes knownNodes) {
        return !knownNodes.pauses(topic).isEmpty()
                || knownNodes.nodes().stream()
                        .anyMatch(node -> node.messages().contains(topic)
                                || node.notifications().contains(topic));
    }

    private void delete(String topic) {
        try {
            // read again, because the topic may have been registered with another number of shards since
            Optional<List<Shard>> shards = Await.call(() -> registry.freshShards(topic));
            if (shards.isPresent() && shards.get().size() == 1 && deletion.delete(topic)) {
                log.info("Topic " + Printable.of(topic) + " was deleted, since it was empty and had no consumers for "
                        + DurationText.of(after)
                        + " (delayqueue.metrics.forget-topics-after). The next send creates it again.");
            }
        } catch (TopicNotEmptyException | TopicConflictException e) {
            log.debug("Topic " + Printable.of(topic) + " stays, since it is used again", e);
        }
    }

    /** Resets the idle time of a topic. The next sample that shows the topic idle counts as the first. */
    private synchronized void resetIdleTime(String topic) {
        idleSince.remove(topic);
    }
}
