package io.delayqueue.test.redis;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The faults that are switched on in a {@link FaultProxy}; written by tests, read by its threads.
 */
final class ProxyFaults {

    private final ReplyCuts replyCuts = new ReplyCuts();

    private volatile Map<Direction, Latency> latencies = Map.of();

    private volatile Set<Direction> swallowed = Set.of();

    private volatile boolean cut;

    ReplyCuts replyCuts() {
        return this.replyCuts;
    }

    /** Returns the current delay in a direction. */
    Duration delay(Direction direction) {
        Latency latency = this.latencies.get(direction);
        return latency == null ? Duration.ZERO : latency.sample();
    }

    synchronized void delay(Duration delay, Duration jitter, Set<Direction> directions) {
        Map<Direction, Latency> changed = new EnumMap<>(Direction.class);
        changed.putAll(this.latencies);
        directions.forEach((direction) -> changed.put(direction, new Latency(delay, jitter)));
        this.latencies = changed;
    }

    Set<Direction> swallowed() {
        return this.swallowed;
    }

    void swallow(Set<Direction> directions) {
        this.swallowed = Set.copyOf(directions);
    }

    boolean isCut() {
        return this.cut;
    }

    void cut() {
        this.cut = true;
    }

    synchronized void clear() {
        this.replyCuts.clear();
        this.latencies = Map.of();
        this.swallowed = Set.of();
        this.cut = false;
    }

    private record Latency(Duration delay, Duration jitter) {

        Duration sample() {
            long jitterNanos = this.jitter.toNanos();
            return jitterNanos == 0
                    ? this.delay
                    : this.delay.plusNanos(ThreadLocalRandom.current().nextLong(jitterNanos + 1));
        }
    }
}
