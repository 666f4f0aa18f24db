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
 * {@code delayqueue.forward[n]}. An option that is null is taken from the level below. {@link ListenerOptions} has the
 * built-in defaults and checks the ranges.
 */
public interface ListenerProperties {

    @Nullable
    Integer concurrency();

    @Nullable
    Integer batchSize();

    @Nullable
    Duration lease();

    @Nullable
    Integer maxAttempts();

    @Nullable
    String backoff();

    @Nullable
    List<Class<? extends Throwable>> notRetryable();

    @Nullable
    Duration handlingTime();

    @Nullable
    Integer prefetch();

    @Nullable
    Duration prefetchTime();

    @Nullable
    Duration drainTime();

    /** Sets the options whose properties are set. */
    default void applyTo(ListenerOptions.Builder options, Function<String, RetryPolicy> policies) {
        set(concurrency(), options::concurrency);
        set(batchSize(), options::batchSize);
        set(lease(), options::lease);
        set(maxAttempts(), options::maxAttempts);
        set(backoff(), text -> options.retryPolicy(policies.apply(text)));
        set(notRetryable(), options::notRetryable);
        set(handlingTime(), options::handlingTime);
        set(prefetch(), options::prefetch);
        set(prefetchTime(), options::prefetchTime);
        set(drainTime(), options::drainTime);
    }

    private static <T> void set(@Nullable T value, Consumer<T> option) {
        if (value != null) {
            option.accept(value);
        }
    }
}
