package io.delayqueue.template.receive;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Failure;
import io.delayqueue.store.Settle;
import io.delayqueue.store.Settle.Retry;
import io.delayqueue.store.Settle.ToDeadLetters;
import java.time.Duration;

/** Creates and checks the settlements of received deliveries. */
final class Settles {

    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);
    private static final Duration LONGEST_LEASE = Duration.ofDays(1);

    private Settles() {}

    /**
     * Checks a retry's delay.
     *
     * @throws IllegalArgumentException if it is negative
     */
    static void checkDelay(Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("delay must be zero or more, but was " + delay);
        }
    }

    /** Returns a retry; Redis dead-letters the message instead if this was the last permitted attempt. */
    static Settle retry(String id, String token, Duration delay, String reason) {
        return new Retry(id, token, delay, new Failure("retry", reason), true);
    }

    /** Returns a dead-letter settlement. */
    static Settle deadLetter(String id, String token, String reason) {
        return new ToDeadLetters(id, token, DeadLetterCause.REQUESTED, new Failure("requested", reason));
    }

    /**
     * Checks the time of an extension.
     *
     * @throws IllegalArgumentException if the time is not from 1 s to 1 d
     */
    static void checkExtension(Duration time) {
        if (time.compareTo(SHORTEST_LEASE) < 0 || time.compareTo(LONGEST_LEASE) > 0) {
            throw new IllegalArgumentException("time must be from 1 s to 1 d, but was " + time);
        }
    }
}
