package io.delayqueue.listener;

import io.delayqueue.message.DurationText;
import java.time.Duration;

/** What follows a failed attempt. */
public sealed interface RetryDecision {

    /**
     * Schedules another attempt.
     *
     * @param delay zero or more
     */
    record RetryAfter(Duration delay) implements RetryDecision {
        /** Checks the range. */
        public RetryAfter {
            if (delay.isNegative()) {
                throw new IllegalArgumentException(
                        "The delay of a retry must be zero or more, but was " + DurationText.of(delay));
            }
        }
    }

    /** Dead-letters the message. */
    record ToDeadLetters() implements RetryDecision {}
}
