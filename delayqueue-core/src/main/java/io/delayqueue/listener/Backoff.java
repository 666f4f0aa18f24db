package io.delayqueue.listener;

import io.delayqueue.listener.RetryDecision.RetryAfter;
import io.delayqueue.listener.RetryDecision.ToDeadLetters;
import io.delayqueue.message.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** The built-in retry policies. All are immutable and thread-safe. */
public sealed interface Backoff extends RetryPolicy {

    /**
     * The same delay after each attempt.
     *
     * @param delay zero or more
     */
    record Fixed(Duration delay) implements Backoff {
        /** Checks the range. */
        public Fixed {
            requireNotNegative("delay", delay);
        }

        @Override
        public RetryDecision decide(FailedAttempt failed) {
            return new RetryAfter(delay);
        }
    }

    /**
     * A delay that grows by a factor up to a maximum, with random jitter that spreads retries over time.
     *
     * @param initial the delay after the first attempt, zero or more
     * @param multiplier 1 or more
     * @param max the maximum, jitter included; not less than {@code initial}
     * @param jitter the greatest share by which a delay is shortened or lengthened, 0 to 1
     */
    record Exponential(Duration initial, double multiplier, Duration max, double jitter) implements Backoff {
        /** Checks each range. */
        public Exponential {
            requireNotNegative("initial", initial);
            requireNotNegative("max", max);
            if (max.compareTo(initial) < 0) {
                throw new IllegalArgumentException("max must be at least the first delay (" + DurationText.of(initial)
                        + "), but was " + DurationText.of(max));
            }
            if (!(multiplier >= 1)) {
                throw new IllegalArgumentException("multiplier must be 1 or more, but was " + multiplier);
            }
            if (!(jitter >= 0 && jitter <= 1)) {
                throw new IllegalArgumentException("jitter must be from 0 to 1, but was " + jitter);
            }
        }

        @Override
        public RetryDecision decide(FailedAttempt failed) {
            double exact =
                    initial.toMillis() * Math.pow(multiplier, failed.delivery().attempt() - 1);
            double spread = 1 + jitter * (2 * ThreadLocalRandom.current().nextDouble() - 1);
            double cap = max.toMillis();
            double millis = Math.min(cap, Math.min(exact, cap) * spread);
            return new RetryAfter(Duration.ofMillis((long) millis));
        }
    }

    /**
     * A list of delays; the first one follows the first attempt. After the last delay the message is dead-lettered,
     * so a list of nine delays means at most ten attempts.
     *
     * @param delays at least one, each zero or more
     */
    record Intervals(List<Duration> delays) implements Backoff {
        /** Checks each delay. */
        public Intervals {
            delays = List.copyOf(delays);
            if (delays.isEmpty()) {
                throw new IllegalArgumentException("A list of retry intervals must not be empty");
            }
            delays.forEach(delay -> requireNotNegative("A retry interval", delay));
        }

        @Override
        public RetryDecision decide(FailedAttempt failed) {
            int attempt = failed.delivery().attempt();
            return attempt > delays.size() ? new ToDeadLetters() : new RetryAfter(delays.get(attempt - 1));
        }
    }

    private static void requireNotNegative(String what, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(what + " must be zero or more, but was " + DurationText.of(value));
        }
    }
}
