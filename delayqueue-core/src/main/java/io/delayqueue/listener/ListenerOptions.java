package io.delayqueue.listener;

import io.delayqueue.message.DurationText;
import io.delayqueue.message.InvalidOptionException;
import java.time.Duration;
import java.util.List;

/**
 * Options of a listener. Immutable; the constructor checks all values.
 *
 * @param concurrency maximum number of concurrent handler calls, 1 to 10,000
 * @param batchSize maximum number of messages of one handler call, 1 to 500
 * @param lease length of a delivery's lease, 1 second to 1 day; the engine renews it after each third of this time
 * @param maxAttempts number of attempts after which a message is dead-lettered, 1 or more
 * @param maxPostponements number of postponements that a message may have, 0 for unlimited; the next one dead-letters
 *     it
 * @param retryPolicy decides what follows a failed attempt
 * @param notRetryable exception types that dead-letter a message at once; subclasses and exceptions with such a cause
 *     count too
 * @param unavailableOn exception types which mean that a system that the handler needs is unavailable; subclasses and
 *     exceptions with such a cause count too, and {@link DependencyUnavailableException} always does. The attempt does
 *     not count. The listener claims no messages on this node, except one at a time as a probe, 1 s later and then at
 *     intervals that grow to 30 s, until a probe does not fail like this. A type in {@code notRetryable} takes precedence
 * @param handlingTime maximum time for which the lease of a delivery is renewed while it is handled, 1 second to 365
 *     days and not less than the lease; after it the lease ends
 * @param prefetch maximum number of deliveries claimed in addition to those being handled, 0 to 10,000; fewer are
 *     claimed if handling is slow
 * @param prefetchTime maximum time for which a delivery waits for a handler before it is released, 1 ms to 1 day
 * @param drainTime maximum time for which a stop waits for running handlers, 0 to 1 day
 */
public record ListenerOptions(
        int concurrency,
        int batchSize,
        Duration lease,
        int maxAttempts,
        int maxPostponements,
        RetryPolicy retryPolicy,
        List<Class<? extends Throwable>> notRetryable,
        List<Class<? extends Throwable>> unavailableOn,
        Duration handlingTime,
        int prefetch,
        Duration prefetchTime,
        Duration drainTime) {

    /**
     * The defaults: concurrency 8, batch size 1, lease 30 s, 10 attempts, unlimited postponements, exponential back-off
     * from 1 s to 1 h with factor 2 and jitter 0.2, handling time 1 h, prefetch 1,000, prefetch time 30 s, drain time 20 s.
     */
    public static final ListenerOptions DEFAULTS = new ListenerOptions(
            8,
            1,
            Duration.ofSeconds(30),
            10,
            0,
            new Backoff.Exponential(Duration.ofSeconds(1), 2, Duration.ofHours(1), 0.2),
            List.of(),
            List.of(),
            Duration.ofHours(1),
            1000,
            Duration.ofSeconds(30),
            Duration.ofSeconds(20));

    /**
     * Checks all values.
     *
     * @throws InvalidOptionException if a value is out of range or contradicts another one
     */
    public ListenerOptions {
        InvalidOptionException.requireRange("concurrency", concurrency, 1, 10_000);
        InvalidOptionException.requireRange("batchSize", batchSize, 1, 500);
        InvalidOptionException.requireRange("maxAttempts", maxAttempts, 1, Integer.MAX_VALUE);
        InvalidOptionException.requireRange("maxPostponements", maxPostponements, 0, Integer.MAX_VALUE);
        InvalidOptionException.requireRange("prefetch", prefetch, 0, 10_000);
        InvalidOptionException.requireRange("lease", lease, Duration.ofSeconds(1), Duration.ofDays(1));
        InvalidOptionException.requireRange("handlingTime", handlingTime, Duration.ofSeconds(1), Duration.ofDays(365));
        InvalidOptionException.requireRange("prefetchTime", prefetchTime, Duration.ofMillis(1), Duration.ofDays(1));
        InvalidOptionException.requireRange("drainTime", drainTime, Duration.ZERO, Duration.ofDays(1));
        if (handlingTime.compareTo(lease) < 0) {
            throw new InvalidOptionException(
                    "handlingTime",
                    "must be at least the lease (" + DurationText.of(lease) + "), but was "
                            + DurationText.of(handlingTime));
        }
        notRetryable = exceptions("notRetryable", notRetryable);
        unavailableOn = exceptions("unavailableOn", unavailableOn);
    }

    private static List<Class<? extends Throwable>> exceptions(String option, List<Class<? extends Throwable>> types) {
        List<Class<? extends Throwable>> copy = List.copyOf(types);
        for (Class<?> type : copy) {
            InvalidOptionException.require(
                    Throwable.class.isAssignableFrom(type),
                    option,
                    "must name exceptions, but names " + type.getName());
        }
        return copy;
    }

    /** Creates a builder with these options. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds options. Not thread-safe. */
    public static final class Builder {

        private int concurrency;
        private int batchSize;
        private Duration lease;
        private int maxAttempts;
        private int maxPostponements;
        private RetryPolicy retryPolicy;
        private List<Class<? extends Throwable>> notRetryable;
        private List<Class<? extends Throwable>> unavailableOn;
        private Duration handlingTime;
        private int prefetch;
        private Duration prefetchTime;
        private Duration drainTime;

        private Builder(ListenerOptions from) {
            this.concurrency = from.concurrency;
            this.batchSize = from.batchSize;
            this.lease = from.lease;
            this.maxAttempts = from.maxAttempts;
            this.maxPostponements = from.maxPostponements;
            this.retryPolicy = from.retryPolicy;
            this.notRetryable = from.notRetryable;
            this.unavailableOn = from.unavailableOn;
            this.handlingTime = from.handlingTime;
            this.prefetch = from.prefetch;
            this.prefetchTime = from.prefetchTime;
            this.drainTime = from.drainTime;
        }

        /** See {@link ListenerOptions#concurrency()}. */
        public Builder concurrency(int concurrency) {
            this.concurrency = concurrency;
            return this;
        }

        /** See {@link ListenerOptions#batchSize()}. */
        public Builder batchSize(int batchSize) {
            this.batchSize = batchSize;
            return this;
        }

        /** See {@link ListenerOptions#lease()}. */
        public Builder lease(Duration lease) {
            this.lease = lease;
            return this;
        }

        /** See {@link ListenerOptions#maxAttempts()}. */
        public Builder maxAttempts(int maxAttempts) {
            this.maxAttempts = maxAttempts;
            return this;
        }

        /** See {@link ListenerOptions#maxPostponements()}. */
        public Builder maxPostponements(int maxPostponements) {
            this.maxPostponements = maxPostponements;
            return this;
        }

        /** See {@link ListenerOptions#retryPolicy()}. */
        public Builder retryPolicy(RetryPolicy retryPolicy) {
            this.retryPolicy = retryPolicy;
            return this;
        }

        /** See {@link ListenerOptions#notRetryable()}. */
        public Builder notRetryable(List<Class<? extends Throwable>> notRetryable) {
            this.notRetryable = notRetryable;
            return this;
        }

        /** See {@link ListenerOptions#unavailableOn()}. */
        public Builder unavailableOn(List<Class<? extends Throwable>> unavailableOn) {
            this.unavailableOn = unavailableOn;
            return this;
        }

        /** See {@link ListenerOptions#handlingTime()}. */
        public Builder handlingTime(Duration handlingTime) {
            this.handlingTime = handlingTime;
            return this;
        }

        /** See {@link ListenerOptions#prefetch()}. */
        public Builder prefetch(int prefetch) {
            this.prefetch = prefetch;
            return this;
        }

        /** See {@link ListenerOptions#prefetchTime()}. */
        public Builder prefetchTime(Duration prefetchTime) {
            this.prefetchTime = prefetchTime;
            return this;
        }

        /** See {@link ListenerOptions#drainTime()}. */
        public Builder drainTime(Duration drainTime) {
            this.drainTime = drainTime;
            return this;
        }

        /**
         * Builds the options.
         *
         * @throws InvalidOptionException if a value is out of range or contradicts another one
         */
        public ListenerOptions build() {
            return new ListenerOptions(
                    concurrency,
                    batchSize,
                    lease,
                    maxAttempts,
                    maxPostponements,
                    retryPolicy,
                    notRetryable,
                    unavailableOn,
                    handlingTime,
                    prefetch,
                    prefetchTime,
                    drainTime);
        }
    }
}
