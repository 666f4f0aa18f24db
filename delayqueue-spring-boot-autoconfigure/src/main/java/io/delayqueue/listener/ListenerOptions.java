package io.delayqueue.listener;

import java.time.Duration;
import java.util.List;

/**
 * How a listener is run. Immutable; each combination is checked once, here.
 *
 * @param concurrency how many handlers may run at once, 1 to 10,000
 * @param batchSize how many messages one call of the handler takes, 1 to 500
 * @param lease for how long a delivery is leased, 1 s to 1 d; it is renewed each third of it
 * @param maxAttempts after how many attempts a message goes to the dead letters, 1 or more
 * @param retryPolicy what follows a failed attempt
 * @param notRetryable exceptions (their subclasses, and whatever they caused) that go to the dead letters at once
 * @param handlingTime for how long a delivery is renewed at most while it is handled; afterwards its lease runs out
 * @param prefetch how many deliveries may be claimed beyond those that are handled, 0 to 10,000; fewer are claimed when
 *     handling is slow
 * @param prefetchTime how long an unstarted delivery waits before it is handed back
 * @param drainTime how long a stop waits for running handlers
 */
public record ListenerOptions(
        int concurrency,
        int batchSize,
        Duration lease,
        int maxAttempts,
        RetryPolicy retryPolicy,
        List<Class<? extends Throwable>> notRetryable,
        Duration handlingTime,
        int prefetch,
        Duration prefetchTime,
        Duration drainTime) {

    /** The built-in values. */
    public static final ListenerOptions DEFAULTS = new ListenerOptions(
            8,
            1,
            Duration.ofSeconds(30),
            10,
            new Backoff.Exponential(Duration.ofSeconds(1), 2, Duration.ofHours(1), 0.2),
            List.of(),
            Duration.ofHours(1),
            1000,
            Duration.ofSeconds(30),
            Duration.ofSeconds(20));

    /** Checks each range and how they go together. */
    public ListenerOptions {
        requireRange("concurrency", concurrency, 1, 10_000);
        requireRange("batchSize", batchSize, 1, 500);
        requireRange("maxAttempts", maxAttempts, 1, Integer.MAX_VALUE);
        requireRange("prefetch", prefetch, 0, 10_000);
        requireRange("lease", lease, Duration.ofSeconds(1), Duration.ofDays(1));
        requireRange("handlingTime", handlingTime, Duration.ofSeconds(1), Duration.ofDays(365));
        requireRange("prefetchTime", prefetchTime, Duration.ofMillis(1), Duration.ofDays(1));
        requireRange("drainTime", drainTime, Duration.ZERO, Duration.ofDays(1));
        if (handlingTime.compareTo(lease) < 0) {
            throw new IllegalArgumentException(
                    "handlingTime is at least the lease (" + lease + "), but is " + handlingTime);
        }
        notRetryable = List.copyOf(notRetryable);
        for (Class<?> type : notRetryable) {
            if (!Throwable.class.isAssignableFrom(type)) {
                throw new IllegalArgumentException("notRetryable names exceptions, but " + type.getName() + " is none");
            }
        }
    }

    private static void requireRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is between " + min + " and " + max + ", but is " + value);
        }
    }

    private static void requireRange(String name, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(name + " is between " + min + " and " + max + ", but is " + value);
        }
    }

    /** A builder that starts from these. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Collects options. Not thread-safe. */
    public static final class Builder {

        private int concurrency;
        private int batchSize;
        private Duration lease;
        private int maxAttempts;
        private RetryPolicy retryPolicy;
        private List<Class<? extends Throwable>> notRetryable;
        private Duration handlingTime;
        private int prefetch;
        private Duration prefetchTime;
        private Duration drainTime;

        private Builder(ListenerOptions from) {
            this.concurrency = from.concurrency;
            this.batchSize = from.batchSize;
            this.lease = from.lease;
            this.maxAttempts = from.maxAttempts;
            this.retryPolicy = from.retryPolicy;
            this.notRetryable = from.notRetryable;
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
         * @throws IllegalArgumentException naming the value that is out of range
         */
        public ListenerOptions build() {
            return new ListenerOptions(
                    concurrency,
                    batchSize,
                    lease,
                    maxAttempts,
                    retryPolicy,
                    notRetryable,
                    handlingTime,
                    prefetch,
                    prefetchTime,
                    drainTime);
        }
    }
}
