package io.delayqueue.template.pull;

import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Failure;
import io.delayqueue.store.Settle;
import io.delayqueue.store.Settle.Bury;
import io.delayqueue.store.Settle.Retry;
import java.time.Duration;

/** What a receiver's answers become, whichever way they come. */
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
            throw new IllegalArgumentException("A retry's delay is zero or more, but is " + delay);
        }
    }

    /** Deliver it again, unless this was the last attempt. */
    static Settle retry(String id, String token, Duration delay, String reason, boolean last) {
        Failure failure = new Failure("retry", reason);
        return last ? new Bury(id, token, DeathCause.ATTEMPTS_SPENT, failure) : new Retry(id, token, delay, failure);
    }

    /** Send it to the dead letters. */
    static Settle bury(String id, String token, String reason) {
        return new Bury(id, token, DeathCause.BURIED, new Failure("bury", reason));
    }

    /**
     * Checks for how long a lease may be extended.
     *
     * @throws IllegalArgumentException if it is another time than 1 s to 1 d
     */
    static void checkExtension(Duration time) {
        if (time.compareTo(SHORTEST_LEASE) < 0 || time.compareTo(LONGEST_LEASE) > 0) {
            throw new IllegalArgumentException("A lease is extended by 1 s to 1 d, but not by " + time);
        }
    }
}
