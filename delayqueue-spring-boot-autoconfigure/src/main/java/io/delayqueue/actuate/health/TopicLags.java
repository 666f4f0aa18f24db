package io.delayqueue.actuate.health;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The lags of topics. The lag of a topic is the time for which its oldest due message has been waiting. Lags are taken
 * from the sampler. Redis is queried only for required topics without a sample, one call per topic. Thread-safe.
 */
public final class TopicLags {

    private final Supplier<Map<String, Duration>> sampled;
    private final Map<String, SharedCheck<Duration>> checks = new HashMap<>();

    /**
     * Creates the lags.
     *
     * @param sampled the sampled lags by topic; empty without a sampler or if its sample is too old
     * @param read reads the lag of a topic from Redis without blocking
     * @param required topics whose lags are read from Redis if they have no sample
     * @param nanoTime monotonic time, ns
     */
    public TopicLags(
            Supplier<Map<String, Duration>> sampled,
            Function<String, CompletableFuture<Duration>> read,
            Set<String> required,
            LongSupplier nanoTime) {
        this.sampled = sampled;
        required.forEach(topic -> checks.put(topic, new SharedCheck<>(() -> read.apply(topic), nanoTime)));
    }

    /**
     * Returns the sampled lags, and requests those of required topics without a sample. A future is pending or fails if
     * Redis does not respond.
     */
    Map<String, CompletableFuture<Duration>> request() {
        Map<String, CompletableFuture<Duration>> lags = new TreeMap<>();
        sampled.get().forEach((topic, lag) -> lags.put(topic, CompletableFuture.completedFuture(lag)));
        checks.forEach((topic, check) -> lags.computeIfAbsent(topic, missing -> check.request()));
        return lags;
    }
}
