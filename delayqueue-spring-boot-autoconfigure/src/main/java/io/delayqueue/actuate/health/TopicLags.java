package io.delayqueue.actuate.health;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueUnavailableException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * For how long the oldest due message of each topic has been waiting: as sampled lately, and Redis is asked only for those
 * topics that have to be known and were not sampled. Thread-safe.
 */
public final class TopicLags {

    private final Supplier<Map<String, Duration>> sampled;
    private final Set<String> wanted;
    private final SharedQuestion<Map<String, Duration>> question;

    /**
     * For topics that have to be known.
     *
     * @param sampled what is known without asking; empty without a sampler, or when its sample is too old
     * @param admin which is asked for the rest
     * @param executor where that blocks
     * @param nanoTime monotonic time, ns
     */
    public TopicLags(
            Supplier<Map<String, Duration>> sampled,
            DelayQueueAdmin admin,
            Set<String> wanted,
            Executor executor,
            LongSupplier nanoTime) {
        this.sampled = sampled;
        this.wanted = Set.copyOf(wanted);
        this.question = new SharedQuestion<>(() -> complete(admin, executor), nanoTime);
    }

    /** What is known now. */
    Map<String, Duration> known() {
        return new TreeMap<>(sampled.get());
    }

    /** The same with all that have to be known, but for those that can't be read; fails if Redis doesn't answer. */
    CompletableFuture<Map<String, Duration>> complete() {
        Map<String, Duration> known = known();
        return known.keySet().containsAll(wanted) ? CompletableFuture.completedFuture(known) : question.ask();
    }

    private CompletableFuture<Map<String, Duration>> complete(DelayQueueAdmin admin, Executor executor) {
        try {
            return CompletableFuture.supplyAsync(
                    () -> {
                        Map<String, Duration> lags = known();
                        wanted.stream()
                                .filter(topic -> !lags.containsKey(topic))
                                .forEach(topic -> ask(admin, topic, lags));
                        return lags;
                    },
                    executor);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static void ask(DelayQueueAdmin admin, String topic, Map<String, Duration> lags) {
        try {
            lags.put(topic, admin.counts(topic).lag());
        } catch (DelayQueueUnavailableException e) {
            throw e;
        } catch (DelayQueueException unreadable) {
            // that one stays unknown, and the others are asked for
        }
    }
}
