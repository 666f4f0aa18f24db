package io.delayqueue.autoconfigure.property;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What holds for listeners; what is absent is left to the level below. See {@link TopicProperties}, and
 * {@link io.delayqueue.listener.ListenerOptions} for the ranges.
 *
 * @param concurrency handlers at once
 * @param batchSize messages of a batch
 * @param lease of a delivery
 * @param maxAttempts before a message dies
 * @param backoff an expression, or the name of a retry policy's bean
 * @param notRetryable exceptions that are never retried
 * @param handlingTime for how long a lease is renewed
 * @param prefetch deliveries claimed ahead
 * @param prefetchTime how long they wait
 * @param drainTime how long a stop waits
 */
public record ListenerDefaults(
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

    /** These over those of a lower level. */
    ListenerOptions over(ListenerOptions lower, Function<String, RetryPolicy> policies) {
        ListenerOptions.Builder options = lower.toBuilder();
        if (concurrency != null) {
            options.concurrency(concurrency);
        }
        if (batchSize != null) {
            options.batchSize(batchSize);
        }
        if (lease != null) {
            options.lease(lease);
        }
        if (maxAttempts != null) {
            options.maxAttempts(maxAttempts);
        }
        if (backoff != null) {
            options.retryPolicy(policies.apply(backoff));
        }
        if (notRetryable != null) {
            options.notRetryable(notRetryable);
        }
        overTimes(options);
        return options.build();
    }

    private void overTimes(ListenerOptions.Builder options) {
        if (handlingTime != null) {
            options.handlingTime(handlingTime);
        }
        if (prefetch != null) {
            options.prefetch(prefetch);
        }
        if (prefetchTime != null) {
            options.prefetchTime(prefetchTime);
        }
        if (drainTime != null) {
            options.drainTime(drainTime);
        }
    }
}
