package io.delayqueue.listener;

import java.time.Duration;

/** What follows a failed attempt. */
public sealed interface RetryDecision {

    /** Deliver it again after a delay, zero or more. */
    record RetryAfter(Duration delay) implements RetryDecision {
        /** Checks the range. */
        public RetryAfter {
            if (delay.isNegative()) {
                throw new IllegalArgumentException("A retry's delay is zero or more, but is " + delay);
            }
        }
    }

    /** Give it up: it goes to the dead letters. */
    record GiveUp() implements RetryDecision {}
}
