package io.delayqueue.autoconfigure;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What holds for the listeners of a topic; what is absent is left to the level below.
 *
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
