package io.delayqueue.admin;

import io.delayqueue.Internal;
import io.delayqueue.admin.DueMessages.Need;
import io.delayqueue.admin.DueMessages.Span;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.message.Completions;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.template.DelayQueueSchedules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Forecasts how many handlers each topic needs. It counts the messages of topics by due time once a minute, with one to three
 * script calls for each shard, and reads schedules every ten minutes. Thread-safe. If a reading fails, the earlier one stays.
 */
@Internal
public final class HandlerForecasts {

    /** The agreed lateness of a topic without the property. */
    public static final Duration DEFAULT_MAX_LATENESS = Duration.ofMinutes(1);

    /**
     * About 70 commands for each shard a minute are as many as those of the six samples that a node takes in this time.
     */
    static final Duration INTERVAL = Duration.ofMinutes(1);

    static final Duration SCHEDULES_INTERVAL = Duration.ofMinutes(10);

    /** Time before the need at which it is reported, so that nodes can start. */
    static final Duration AHEAD = Duration.ofMinutes(5);

    /** Heartbeats have whole milliseconds. */
    private static final Duration LEAST_MEAN = Duration.ofMillis(1);

    private static final Duration DAY = Duration.ofDays(1);
    private static final int TOPICS_AT_ONCE = 50;

    private static final Log log = LogFactory.getLog(HandlerForecasts.class);

    private final DelayQueueInspector inspector;
    private final @Nullable DelayQueueSchedules schedules;
    private final Function<String, Duration> maxLateness;
    private final Executor executor;
    private final LongSupplier nanoTime;

    private volatile Map<String, TopicStatus> topics = Map.of();
    private volatile List<NodeStatus> nodes = List.of();
    private final Map<String, Duration> means = new ConcurrentHashMap<>();
    private final Map<String, Counted> due = new ConcurrentHashMap<>();
    private final Map<String, Occurrences> occurrences = new ConcurrentHashMap<>();
    private CompletableFuture<?> counting = CompletableFuture.completedFuture(null);
    private CompletableFuture<?> readingSchedules = CompletableFuture.completedFuture(null);
    /** When topics with messages are counted again, by the monotonic clock. */
    private final Map<String, Long> countNext = new HashMap<>();

    private long readSchedulesNext;

    /** The messages of a topic, and whether later occurrences of all its schedules are among them. */
    private record Counted(DueMessages messages, boolean complete) {}

    /**
     * What one script call counts: messages until a time, in buckets.
     *
     * @param buckets number of buckets
     * @param width length of a bucket
     */
    record Reading(int buckets, Duration width) {}

    /** Each reading after the first is needed only if messages are due later. Its first bucket is the span of the one before. */
    static final List<Reading> READINGS = List.of(
            new Reading(10, Duration.ofSeconds(30)),
            new Reading(12, Duration.ofMinutes(5)),
            new Reading(24, Duration.ofHours(1)));

    /**
     * Creates it. It acts only on samples that it is given.
     *
     * @param schedules reads schedules; null if the application has operations of its own
     * @param maxLateness the agreed lateness of a topic
     * @param executor reads schedules, which waits for Redis
     * @param nanoTime the monotonic clock
     */
    public HandlerForecasts(
            DelayQueueInspector inspector,
            @Nullable DelayQueueSchedules schedules,
            Function<String, Duration> maxLateness,
            Executor executor,
            LongSupplier nanoTime) {
        this.inspector = inspector;
        this.schedules = schedules;
        this.maxLateness = maxLateness;
        this.executor = executor;
        this.nanoTime = nanoTime;
        this.readSchedulesNext = nanoTime.getAsLong();
    }

    /** Processes a sample of all topics and nodes. Does not block. */
    public synchronized void sampled(List<TopicStatus> newest, Nodes sampled) {
        Map<String, TopicStatus> byTopic = new HashMap<>();
        newest.forEach(status -> byTopic.put(status.topic(), status));
        topics = byTopic;
        nodes = sampled.live();
        List.of(means, due, occurrences).forEach(known -> known.keySet().retainAll(byTopic.keySet()));
        sampled.attempts().forEach((topic, attempts) -> {
            if (byTopic.containsKey(topic)) {
                means.put(topic, attempts.handling().compareTo(LEAST_MEAN) > 0 ? attempts.handling() : LEAST_MEAN);
            }
        });
        countNext.keySet().retainAll(byTopic.keySet());
        long now = nanoTime.getAsLong();
        if (now - readSchedulesNext >= 0 && readingSchedules.isDone()) {
            readSchedulesNext = now + SCHEDULES_INTERVAL.toNanos();
            readSchedules(newest);
        }
        if (counting.isDone()) {
            count(newest, sampled.at(), now);
        }
    }

    private void count(List<TopicStatus> newest, Instant at, long now) {
        List<String> counted = new ArrayList<>();
        for (TopicStatus status : newest) {
            TopicCounts counts = status.counts();
            if (counts == null) {
                continue;
            }
            if (counts.scheduled() + counts.ready() > 0) {
                if (now - countNext.getOrDefault(status.topic(), now) >= 0) {
                    countNext.put(status.topic(), now + INTERVAL.toNanos());
                    counted.add(status.topic());
                }
            } else {
                countNext.remove(status.topic());
                due.put(status.topic(), new Counted(new DueMessages(at, 0, List.of()), schedules(status) == 0));
            }
        }
        counting = Completions.inBatches(
                counted,
                TOPICS_AT_ONCE,
                topic -> Completions.call(() -> count(topic, new ArrayList<>())).handle((done, failure) -> {
                    if (failure != null) {
                        log.debug("The forecast of a topic stays as it is", failure);
                    }
                    return null;
                }));
    }

    /** Counts the messages within a span, and those that are later if there are some. */
    private CompletableFuture<Void> count(String topic, List<Upcoming> counts) {
        Reading reading = READINGS.get(counts.size());
        return inspector
                .countUpcoming(topic, reading.width(), reading.buckets())
                .thenCompose(found -> {
                    found.ifPresent(counts::add);
                    if (found.isPresent() && found.get().later() > 0 && counts.size() < READINGS.size()) {
                        return count(topic, counts);
                    }
                    if (!counts.isEmpty()) {
                        Occurrences later = later(topic);
                        due.put(topic, new Counted(dueMessages(counts, later), later.complete()));
                    }
                    return CompletableFuture.completedFuture(null);
                });
    }

    private Occurrences later(String topic) {
        TopicStatus status = topics.get(topic);
        return status == null || schedules(status) == 0
                ? Occurrences.NONE
                : occurrences.getOrDefault(topic, Occurrences.UNKNOWN);
    }

    static DueMessages dueMessages(List<Upcoming> counts, Occurrences occurrences) {
        List<Span> spans = new ArrayList<>();
        Duration end = Duration.ZERO;
        for (int i = 0; i < READINGS.size(); i++) {
            Reading reading = READINGS.get(i);
            for (int bucket = 0; bucket < reading.buckets(); bucket++) {
                Duration begin = reading.width().multipliedBy(bucket);
                if (begin.compareTo(end) >= 0) {
                    end = begin.plus(reading.width());
                    long count = i < counts.size() ? counts.get(i).counts().get(bucket) : 0;
                    spans.add(new Span(begin, end, count));
                }
            }
        }
        Instant from = counts.get(0).from();
        long[] times = new long[spans.size() + 1];
        for (int span = 0; span < spans.size(); span++) {
            times[span + 1] = from.plus(spans.get(span).end()).toEpochMilli();
        }
        times[0] = from.toEpochMilli();
        long[] recurring = occurrences.count(times);
        for (int span = 0; span < recurring.length; span++) {
            Span stored = spans.get(span);
            spans.set(span, new Span(stored.begin(), stored.end(), stored.due() + recurring[span]));
        }
        return new DueMessages(from, counts.get(0).overdue(), spans);
    }

    private void readSchedules(List<TopicStatus> newest) {
        DelayQueueSchedules reader = schedules;
        List<String> read = new ArrayList<>();
        for (TopicStatus status : newest) {
            long count = schedules(status);
            if (count == 0 || reader == null) {
                occurrences.remove(status.topic());
            } else if (count > Occurrences.MAX_SCHEDULES) {
                occurrences.put(status.topic(), Occurrences.UNKNOWN);
            } else {
                read.add(status.topic());
            }
        }
        if (read.isEmpty() || reader == null) {
            return;
        }
        try {
            readingSchedules = CompletableFuture.runAsync(
                    () -> read.forEach(topic ->
                            occurrences.put(topic, Occurrences.read(reader, topic, DAY.plus(SCHEDULES_INTERVAL)))),
                    executor);
        } catch (RejectedExecutionException e) {
            log.debug("Schedules are not read, because the engine is closed", e);
        }
    }

    private static long schedules(TopicStatus status) {
        TopicCounts counts = status.counts();
        return counts == null ? 0 : counts.schedules();
    }

    /** The forecast of a topic; without values of its messages if it was not in the last sample. */
    public HandlerForecast of(String topic) {
        Duration lateness = maxLateness.apply(topic);
        Duration mean = means.get(topic);
        Counted counted = due.get(topic);
        DueMessages messages = counted == null ? null : counted.messages();
        TopicStatus status = topics.get(topic);
        TopicLimits limits = Optional.ofNullable(status)
                .map(TopicStatus::limits)
                .map(LimitStatus::effective)
                .orElse(TopicLimits.NONE);
        Need soon = null;
        Need peak = null;
        if (mean != null && messages != null) {
            soon = messages.most(AHEAD, mean, lateness, limits.maxConcurrent());
            peak = messages.most(DAY, mean, lateness, limits.maxConcurrent());
        }
        TopicLimits.Rate rate = limits.rate();
        return new HandlerForecast(
                messages == null ? null : messages.from(),
                soon == null ? null : soon.handlers(),
                peak == null ? null : peak.handlers(),
                peak == null ? null : peak.at(),
                present(topic),
                mean,
                lateness,
                rate == null || messages == null ? null : messages.emptyAt(rate.intervalMicros()),
                counted != null && !counted.complete());
    }

    private int present(String topic) {
        return nodes.stream()
                .flatMap(node -> node.listeners().stream())
                .filter(listener -> listener.topic().equals(topic)
                        && listener.kind() == QueueKind.MESSAGES
                        && listener.state() == State.RUNNING)
                .mapToInt(ListenerStatus::concurrency)
                .sum();
    }
}
