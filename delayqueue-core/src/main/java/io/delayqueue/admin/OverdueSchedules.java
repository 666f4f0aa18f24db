package io.delayqueue.admin;

import io.delayqueue.Internal;
import io.delayqueue.message.Completions;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.store.script.Recurrences.Overdue;
import io.delayqueue.template.DelayQueueSchedules;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Finds schedules of which no occurrence has succeeded for two periods, among the first 1,000 of each shard, once a minute.
 * Thread-safe.
 */
@Internal
public final class OverdueSchedules {

    static final Duration INTERVAL = Duration.ofMinutes(1);

    private static final Log log = LogFactory.getLog(OverdueSchedules.class);

    private final DelayQueueSchedules schedules;
    private final LongSupplier nanoTime;
    private volatile Map<String, Overdue> found = Map.of();
    private CompletableFuture<?> search = CompletableFuture.completedFuture(null);
    private long searchNext;

    /**
     * Creates it. It acts only on samples that it is given.
     *
     * @param nanoTime the monotonic clock
     */
    public OverdueSchedules(DelayQueueSchedules schedules, LongSupplier nanoTime) {
        this.schedules = schedules;
        this.nanoTime = nanoTime;
        this.searchNext = nanoTime.getAsLong();
    }

    /** Processes a sample of all topics. Does not block: it searches those with schedules. */
    public synchronized void sampled(List<TopicStatus> newest) {
        if (nanoTime.getAsLong() - searchNext < 0 || !search.isDone()) {
            return;
        }
        Map<String, CompletableFuture<Overdue>> searched = new HashMap<>();
        for (TopicStatus topic : newest) {
            TopicCounts counts = topic.counts();
            if (counts != null && counts.schedules() > 0) {
                searched.put(topic.topic(), Completions.call(() -> schedules.overdue(topic.topic())));
            }
        }
        if (searched.isEmpty()) {
            found = Map.of();
            return;
        }
        searchNext = nanoTime.getAsLong() + INTERVAL.toNanos();
        search = Completions.all(List.copyOf(searched.values())).handle((all, failure) -> {
            if (failure == null) {
                Map<String, Overdue> overdue = new HashMap<>();
                searched.forEach((topic, each) -> overdue.put(topic, each.join()));
                found = overdue;
            } else {
                log.debug("Schedules are searched for overdue ones later", failure);
            }
            return null;
        });
    }

    /** What the last search found in a topic. */
    public Overdue of(String topic) {
        return found.getOrDefault(topic, Overdue.NONE);
    }
}
