package io.delayqueue.admin;

import io.delayqueue.coordination.Step;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Samples all topics at an interval and keeps the last samples in memory, so that whoever reads them touches no network.
 * Thread-safe. A sample that fails leaves the earlier ones as they are, and is tried again soon; {@link #age()} tells how
 * old they are. A topic that didn't tell what it holds has a sample without counts.
 */
public final class TopicSampler implements Step {

    /** How many samples of a topic are kept. */
    public static final int KEPT = 60;

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final DelayQueueInspector inspector;
    private final Duration interval;
    private final InstantSource clock;
    private final LongSupplier nanoTime;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    /** By name; each the oldest first, never empty. Replaced as a whole, so that a reader sees one moment. */
    private volatile SortedMap<String, List<TopicSample>> samples = Collections.emptySortedMap();

    private volatile @Nullable Taken taken;

    private record Taken(Instant at, long nanos) {}

    /**
     * Samples nothing until it is stepped.
     *
     * @param interval from one sample to the next, 1 s to 10 min
     * @param clock dates the samples
     * @param nanoTime the monotonic clock
     * @throws IllegalArgumentException if the interval is out of range
     */
    public TopicSampler(DelayQueueInspector inspector, Duration interval, InstantSource clock, LongSupplier nanoTime) {
        checkInterval(interval);
        this.inspector = inspector;
        this.interval = interval;
        this.clock = clock;
        this.nanoTime = nanoTime;
    }

    /**
     * Checks an interval.
     *
     * @throws IllegalArgumentException if it is out of range
     */
    public static void checkInterval(Duration sampleInterval) {
        if (sampleInterval.compareTo(SHORTEST) < 0 || sampleInterval.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "sampleInterval is between " + SHORTEST + " and " + LONGEST + ", but is " + sampleInterval);
        }
    }

    @Override
    public Duration step() {
        long begun = nanoTime.getAsLong();
        Instant at = clock.instant();
        SortedMap<String, List<TopicSample>> before = samples;
        SortedMap<String, List<TopicSample>> now = new TreeMap<>();
        for (TopicStatus status : inspector.topics()) {
            List<TopicSample> history = before.getOrDefault(status.topic(), List.of());
            now.put(status.topic(), with(history, new TopicSample(at, status)));
        }
        samples = Collections.unmodifiableSortedMap(now);
        taken = new Taken(at, begun);
        listeners.forEach(Runnable::run);
        return interval;
    }

    private static List<TopicSample> with(List<TopicSample> history, TopicSample newest) {
        List<TopicSample> samples =
                new ArrayList<>(history.subList(Math.max(0, history.size() - KEPT + 1), history.size()));
        samples.add(newest);
        return List.copyOf(samples);
    }

    /** Calls back after each sample, on its thread: it must be quick, and must not throw. */
    public void onSample(Runnable listener) {
        listeners.add(listener);
    }

    /** The newest sample of each topic, by name; empty before the first one. */
    public List<TopicSample> newest() {
        return samples.values().stream()
                .map(history -> history.get(history.size() - 1))
                .toList();
    }

    /** The last samples of a topic, the oldest first, at most 60; empty if it wasn't registered at the last one. */
    public List<TopicSample> history(String topic) {
        return samples.getOrDefault(topic, List.of());
    }

    /** When the newest sample was taken. */
    public Optional<Instant> sampledAt() {
        return Optional.ofNullable(taken).map(Taken::at);
    }

    /** How old the newest sample is; empty before the first one. */
    public Optional<Duration> age() {
        return Optional.ofNullable(taken).map(last -> Duration.ofNanos(nanoTime.getAsLong() - last.nanos()));
    }
}
