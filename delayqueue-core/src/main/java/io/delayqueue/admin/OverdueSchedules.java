package io.delayqueue.admin;

import io.delayqueue.Internal;
import io.delayqueue.message.Printable;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.template.DelayQueueSchedules;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Finds schedules of which no occurrence has succeeded for two periods, among the first 1,000 of each shard. Searches the topics one
 * after another, once a minute. A schedule counts if two searches in a row have found it, so that one whose occurrence is just
 * being handled does not. Thread-safe.
 */
@Internal
public final class OverdueSchedules {

    static final Duration INTERVAL = Duration.ofMinutes(1);

    private static final Log log = LogFactory.getLog(OverdueSchedules.class);

    private final DelayQueueSchedules schedules;
    private final Executor executor;
    private final LongSupplier nanoTime;
    private volatile Map<String, Overdue> found = Map.of();
    private CompletableFuture<Void> search = CompletableFuture.completedFuture(null);
    private long searchNext;
    /** By topic, what the last search has found; only searches use it. */
    private Map<String, Set<String>> before = Map.of();

    /**
     * The overdue schedules of a topic.
     *
     * @param count their number
     * @param first the id of one of them; empty if there are none
     */
    public record Overdue(int count, String first) {

        /** Without any. */
        public static final Overdue NONE = new Overdue(0, "");
    }

    /**
     * Creates it. It acts only on samples that it is given.
     *
     * @param executor runs the searches, which wait for Redis
     * @param nanoTime the monotonic clock
     */
    public OverdueSchedules(DelayQueueSchedules schedules, Executor executor, LongSupplier nanoTime) {
        this.schedules = schedules;
        this.executor = executor;
        this.nanoTime = nanoTime;
        this.searchNext = nanoTime.getAsLong();
    }

    /** Processes a sample of all topics. Does not block: the executor searches the topics with schedules. */
    public synchronized void sampled(List<TopicStatus> newest) {
        if (nanoTime.getAsLong() - searchNext < 0 || !search.isDone()) {
            return;
        }
        List<String> topics = newest.stream()
                .filter(OverdueSchedules::hasSchedules)
                .map(TopicStatus::topic)
                .toList();
        if (topics.isEmpty()) {
            found = Map.of();
            return;
        }
        searchNext = nanoTime.getAsLong() + INTERVAL.toNanos();
        try {
            search = CompletableFuture.runAsync(() -> search(topics), executor);
        } catch (RejectedExecutionException e) {
            log.debug("Schedules are not searched, because the engine is closed", e);
        }
    }

    private static boolean hasSchedules(TopicStatus topic) {
        TopicCounts counts = topic.counts();
        return counts != null && counts.schedules() > 0;
    }

    /** The result of a topic that cannot be searched is dropped. */
    private void search(List<String> topics) {
        Map<String, Set<String>> now = new HashMap<>();
        Map<String, Overdue> overdue = new HashMap<>();
        for (String topic : topics) {
            try {
                List<String> ids = schedules.overdue(topic);
                Set<String> again = before.getOrDefault(topic, Set.of());
                now.put(topic, new HashSet<>(ids));
                List<String> both = ids.stream().filter(again::contains).toList();
                if (!both.isEmpty()) {
                    overdue.put(topic, new Overdue(both.size(), both.get(0)));
                }
            } catch (RuntimeException e) {
                log.debug("Topic " + Printable.of(topic) + " is searched for overdue schedules later", e);
            }
        }
        before = now;
        found = overdue;
    }

    /** What the last searches found in a topic. */
    public Overdue of(String topic) {
        return found.getOrDefault(topic, Overdue.NONE);
    }
}
