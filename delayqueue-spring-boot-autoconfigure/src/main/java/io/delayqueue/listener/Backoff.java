package io.delayqueue.listener;

import io.delayqueue.listener.RetryDecision.GiveUp;
import io.delayqueue.listener.RetryDecision.RetryAfter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** The retry policies that come with the queue. All are immutable and thread-safe. */
public sealed interface Backoff extends RetryPolicy {

    /** The same delay each time, zero or more. */
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
     * A delay that grows by a factor, up to a cap, with random jitter to keep repeats from coming together.
     *
     * @param initial the first delay, zero or more
     * @param multiplier 1 or more
     * @param max the cap; jitter stays below it
     * @param jitter the largest share by which a delay is shortened or lengthened, 0 to 1
     */
    record Exponential(Duration initial, double multiplier, Duration max, double jitter) implements Backoff {
        /** Checks each range. */
        public Exponential {
            requireNotNegative("initial", initial);
            requireNotNegative("max", max);
            if (!(multiplier >= 1)) {
                throw new IllegalArgumentException("multiplier is 1 or more, but is " + multiplier);
            }
            if (!(jitter >= 0 && jitter <= 1)) {
                throw new IllegalArgumentException("jitter is between 0 and 1, but is " + jitter);
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
     * A list of delays: the first one follows the first attempt. At the end of the list the message is given up, so a
     * list of nine means at most ten attempts.
     *
     * @param delays at least one
     */
    record Intervals(List<Duration> delays) implements Backoff {
        /** Checks each delay. */
        public Intervals {
            delays = List.copyOf(delays);
            if (delays.isEmpty()) {
                throw new IllegalArgumentException("A list of retry intervals has at least one");
            }
            delays.forEach(delay -> requireNotNegative("an interval", delay));
        }

        @Override
        public RetryDecision decide(FailedAttempt failed) {
            int attempt = failed.delivery().attempt();
            return attempt > delays.size() ? new GiveUp() : new RetryAfter(delays.get(attempt - 1));
        }
    }

    private static void requireNotNegative(String what, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(what + " is zero or more, but is " + value);
        }
    }
}
