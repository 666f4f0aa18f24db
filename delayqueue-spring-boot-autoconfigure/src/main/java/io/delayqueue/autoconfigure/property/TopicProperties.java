package io.delayqueue.autoconfigure.property;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What holds for a topic: how many shards it has, and what its listeners do unless their annotation says otherwise. What is
 * absent is left to the level below.
 *
 * @param shards How many shards the topic has, 1 to 1,024, fixed once it is registered; unless said, as many as it is
 *     registered with, and 1 if it isn't.
 * @param concurrency How many handlers may run at once, 1 to 10,000.
 * @param batchSize How many messages a call of a batch listener takes at most, 2 to 500.
 * @param lease For how long a delivery is leased, 1 s to 1 d; renewed while it waits or is handled.
 * @param maxAttempts After how many attempts a message goes to the dead letters.
 * @param backoff What follows a failed attempt: "fixed 5s", "exponential 1s x2 max 1h jitter 0.2", a list of intervals
 *     such as "0s,0s,2m,10m", or the name of a RetryPolicy bean.
 * @param notRetryable Exceptions that send a message to the dead letters at once, with their subclasses and whatever
 *     they caused.
 * @param handlingTime For how long a delivery is renewed at most while it is handled.
 * @param prefetch How many deliveries may be claimed beyond those that are handled, 0 to 10,000.
 * @param prefetchTime For how long an unstarted delivery waits before it is handed back.
 * @param drainTime How long a stop waits for running handlers.
 */
public record TopicProperties(
        @Nullable Integer shards,
        @Nullable Integer concurrency,
        @Nullable Integer batchSize,
        @Nullable Duration lease,
        @Nullable Integer maxAttempts,
        @Nullable String backoff,
        @Nullable List<Class<? extends Throwable>> notRetryable,
        @Nullable Duration handlingTime,
        @Nullable Integer prefetch,
        @Nullable Duration prefetchTime,
        @Nullable Duration drainTime) {

    /** What it says about listeners. */
    public ListenerDefaults listeners() {
        return new ListenerDefaults(
                concurrency,
                batchSize,
                lease,
                maxAttempts,
                backoff,
                notRetryable,
                handlingTime,
                prefetch,
                prefetchTime,
                drainTime);
    }
}
