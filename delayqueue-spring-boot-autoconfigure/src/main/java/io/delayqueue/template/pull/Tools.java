package io.delayqueue.template.pull;

import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.coordination.StepScheduler;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.StepReply;
import io.delayqueue.store.StepRequest;
import io.delayqueue.store.StepRequest.Reclaiming;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * What every pump and lane of a receiver works with.
 *
 * @param epoch new per receiver, so that its consumers are told from all others ever
 * @param completions where what depends on the users' futures runs
 * @param nanoTime monotonic time, ns
 */
record Tools(
        MessageStore store,
        TopicRegistry topics,
        SignalSource signals,
        StepScheduler scheduler,
        PayloadCodec codec,
        EventBus events,
        PullSettings settings,
        String epoch,
        Executor completions,
        LongSupplier nanoTime) {

    private static final int MAX_RECLAIM = 100;
    private static final Duration FIRST_BACKOFF = Duration.ofMillis(50);
    private static final int DOUBLINGS = 5;

    long now() {
        return nanoTime.getAsLong();
    }

    /** A step that only settles takes nothing back, but passes on how an outage is to be judged. */
    Reclaiming reclaiming(boolean active) {
        // a sweep that comes a little late is no outage
        Duration gap = Reclaiming.gapFor(settings.sweep());
        return new Reclaiming(active ? MAX_RECLAIM : 0, settings.maxAttempts(), gap, settings.grace());
    }

    /** How long to wait after so many failures in a row: 50 ms, doubled up to 1 s. */
    long backoffNanos(int failures) {
        long nanos = FIRST_BACKOFF.toNanos() << Math.min(DOUBLINGS, failures - 1);
        return Math.min(nanos, Duration.ofSeconds(1).toNanos());
    }

    /** Ends a user's future; on this thread if there is no other one any more, or none can be made. */
    void complete(Runnable completion) {
        try {
            completions.execute(completion);
        } catch (RuntimeException | Error e) {
            completion.run();
        }
    }

    /** Runs all, whatever one of them throws; that is thrown in the end. */
    static void runAll(List<Runnable> all) {
        Throwable first = null;
        for (Runnable each : all) {
            try {
                each.run();
            } catch (RuntimeException | Error e) {
                first = first == null ? e : first;
            }
        }
        if (first instanceof Error error) {
            throw error;
        }
        if (first != null) {
            throw (RuntimeException) first;
        }
    }

    static Throwable unwrap(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** The registry's call, its exceptions in the future. */
    CompletionStage<List<Shard>> shards(String topic) {
        try {
            return topics.shardsAsync(topic);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** What the registry has already, its exceptions in the future. */
    CompletableFuture<Optional<List<Shard>>> registeredShards(String topic) {
        try {
            return topics.registeredShardsAsync(topic);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The store's call, its exceptions in the future. */
    CompletionStage<StepReply> step(Shard shard, StepRequest request) {
        try {
            return store.stepAsync(shard, request);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Hands deliveries back that nobody takes. */
    static void handBack(List<PulledDelivery> deliveries) {
        for (PulledDelivery delivery : deliveries) {
            CompletableFuture<?> unused = delivery.release();
        }
    }
}
