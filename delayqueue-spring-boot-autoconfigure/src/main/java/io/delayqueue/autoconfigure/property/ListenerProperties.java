package io.delayqueue.autoconfigure.property;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Listener options as properties of {@code delayqueue.listener}, {@code delayqueue.topics[name]} and
 * {@code delayqueue.forward[n]}. An option that is not set is taken from the level below. {@link ListenerOptions} has
 * the built-in defaults and checks the ranges.
 */
public class ListenerProperties {

    /** Maximum number of handlers of a listener that run at the same time, 1 to 10,000. */
    private @Nullable Integer concurrency;

    /** Maximum number of messages that a batch listener receives in one call, 2 to 500. */
    private @Nullable Integer batchSize;

    /** Duration of a lease, 1 s to 1 d. It is renewed while the delivery waits for a handler or is handled. */
    private @Nullable Duration lease;

    /** Number of attempts after which a message is dead-lettered, 1 or more. */
    private @Nullable Integer maxAttempts;

    /**
     * Delay after a failed attempt: "fixed 5s", "exponential 1s x2 max 1h jitter 0.2", a list of delays such as
     * "0s,0s,2m,10m", or the name of a RetryPolicy bean.
     */
    private @Nullable String backoff;

    /**
     * Exceptions after which a message is dead-lettered without a retry. Subclasses, and exceptions with such a cause,
     * are included.
     */
    private @Nullable List<Class<? extends Throwable>> notRetryable;

    /** Maximum time for which a lease is renewed while the delivery is handled, from the lease to 365 d. */
    private @Nullable Duration handlingTime;

    /** Maximum number of deliveries that are claimed in addition to those being handled, 0 to 10,000. */
    private @Nullable Integer prefetch;

    /** Maximum time for which a delivery waits for a handler before it is released, 1 ms to 1 d. */
    private @Nullable Duration prefetchTime;

    /** Maximum time for which a stopping listener waits for its running handlers, 0 to 1 d. */
    private @Nullable Duration drainTime;

    /** The options of a lower level, overridden by the properties that are set. */
    ListenerOptions over(ListenerOptions lower, Function<String, RetryPolicy> policies) {
        ListenerOptions.Builder options = lower.toBuilder();
        set(concurrency, options::concurrency);
        set(batchSize, options::batchSize);
        set(lease, options::lease);
        set(maxAttempts, options::maxAttempts);
        set(backoff, text -> options.retryPolicy(policies.apply(text)));
        set(notRetryable, options::notRetryable);
        set(handlingTime, options::handlingTime);
        set(prefetch, options::prefetch);
        set(prefetchTime, options::prefetchTime);
        set(drainTime, options::drainTime);
        return options.build();
    }

    private static <T> void set(@Nullable T value, Consumer<T> option) {
        if (value != null) {
            option.accept(value);
        }
    }

    public @Nullable Integer getConcurrency() {
        return concurrency;
    }

    public void setConcurrency(@Nullable Integer concurrency) {
        this.concurrency = concurrency;
    }

    public @Nullable Integer getBatchSize() {
        return batchSize;
    }

    public void setBatchSize(@Nullable Integer batchSize) {
        this.batchSize = batchSize;
    }

    public @Nullable Duration getLease() {
        return lease;
    }

    public void setLease(@Nullable Duration lease) {
        this.lease = lease;
    }

    public @Nullable Integer getMaxAttempts() {
        return maxAttempts;
    }

    public void setMaxAttempts(@Nullable Integer maxAttempts) {
        this.maxAttempts = maxAttempts;
    }

    public @Nullable String getBackoff() {
        return backoff;
    }

    public void setBackoff(@Nullable String backoff) {
        this.backoff = backoff;
    }

    public @Nullable List<Class<? extends Throwable>> getNotRetryable() {
        return notRetryable;
    }

    public void setNotRetryable(@Nullable List<Class<? extends Throwable>> notRetryable) {
        this.notRetryable = notRetryable;
    }

    public @Nullable Duration getHandlingTime() {
        return handlingTime;
    }

    public void setHandlingTime(@Nullable Duration handlingTime) {
        this.handlingTime = handlingTime;
    }

    public @Nullable Integer getPrefetch() {
        return prefetch;
    }

    public void setPrefetch(@Nullable Integer prefetch) {
        this.prefetch = prefetch;
    }

    public @Nullable Duration getPrefetchTime() {
        return prefetchTime;
    }

    public void setPrefetchTime(@Nullable Duration prefetchTime) {
        this.prefetchTime = prefetchTime;
    }

    public @Nullable Duration getDrainTime() {
        return drainTime;
    }

    public void setDrainTime(@Nullable Duration drainTime) {
        this.drainTime = drainTime;
    }
}
