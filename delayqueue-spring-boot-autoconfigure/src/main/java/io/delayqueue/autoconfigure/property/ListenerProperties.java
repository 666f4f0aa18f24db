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

    /** Number of handler calls at the same time. */
    @Nullable
    Integer concurrency();

    /** Maximum number of messages of one handler call. */
    @Nullable
    Integer batchSize();

    /** Time after which another node may take over an unsettled message. */
    @Nullable
    Duration lease();

    /** Number of deliveries after which a message is dead-lettered. */
    @Nullable
    Integer maxAttempts();

    /** Number of postponements that a message may have; null for a forward, which postpones none. */
    default @Nullable Integer maxPostponements() {
        return null;
    }

    /** Expression for the delays between attempts. */
    @Nullable
    String backoff();

    /** Exceptions after which a message is dead-lettered at once. */
    @Nullable
    List<Class<? extends Throwable>> notRetryable();

    /** Exceptions which mean that a system that handlers need is unavailable. */
    @Nullable
    List<Class<? extends Throwable>> unavailableOn();

    /** Time after which the lease of a running handler is no longer renewed. */
    @Nullable
    Duration handlingTime();

    /** Maximum number of messages claimed in advance. */
    @Nullable
    Integer prefetch();

    /** Time after which a message claimed in advance is released. */
    @Nullable
    Duration prefetchTime();

    /** Time for which a stop waits for running handlers. */
    @Nullable
    Duration drainTime();

    /** Sets the options whose properties are set. */
    default void applyTo(ListenerOptions.Builder options, Function<String, RetryPolicy> policies) {
        set(concurrency(), options::concurrency);
        set(batchSize(), options::batchSize);
        set(lease(), options::lease);
        set(maxAttempts(), options::maxAttempts);
        set(maxPostponements(), options::maxPostponements);
        set(backoff(), text -> options.retryPolicy(policies.apply(text)));
        set(notRetryable(), options::notRetryable);
        set(unavailableOn(), options::unavailableOn);
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
