package io.delayqueue.test.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The current faults of a {@link FaultProxy}. Tests set them, and the proxy's threads read them. Thread-safe.
 */
final class ProxyFaults {

    private final List<Cut> nextReplies = new ArrayList<>();

    private final Set<RedisRequest> cutBefore = new HashSet<>();

    private @Nullable Predicate<RedisRequest> firstReplies;

    private volatile Map<Direction, Latency> latencies = Map.of();

    private volatile Set<Direction> swallowed = Set.of();

    private volatile boolean cut;

    synchronized CompletableFuture<RedisRequest> cutNextReply(Predicate<RedisRequest> requests) {
        Cut cut = new Cut(requests, new CompletableFuture<>());
        this.nextReplies.add(cut);
        return cut.done();
    }

    synchronized void cutFirstReplies(Predicate<RedisRequest> requests) {
        this.firstReplies = requests;
    }

    /**
     * Checks whether the reply to a request must be dropped.
     *
     * @return the future to complete after the reply was dropped, or {@code null} if it must be forwarded
     */
    synchronized @Nullable CompletableFuture<RedisRequest> cutReply(RedisRequest request) {
        for (Iterator<Cut> cuts = this.nextReplies.iterator(); cuts.hasNext(); ) {
            Cut cut = cuts.next();
            if (cut.requests().test(request)) {
                cuts.remove();
                return cut.done();
            }
        }
        if (this.firstReplies != null && this.firstReplies.test(request) && !this.cutBefore.remove(request)) {
            this.cutBefore.add(request);
            return new CompletableFuture<>();
        }
        return null;
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
        this.nextReplies.forEach((cut) -> cut.done().cancel(false));
        this.nextReplies.clear();
        this.cutBefore.clear();
        this.firstReplies = null;
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

    private record Cut(Predicate<RedisRequest> requests, CompletableFuture<RedisRequest> done) {}
}
