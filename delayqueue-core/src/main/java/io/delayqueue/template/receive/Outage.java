package io.delayqueue.template.receive;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A series of failed calls. All times are of the monotonic clock.
 *
 * @param last the last failure
 * @param failures the number of failures
 * @param since the time of the first failure
 * @param retryAt the earliest time of the next call
 */
record Outage(Throwable last, int failures, long since, long retryAt) {

    private static final Duration FIRST_BACKOFF = Duration.ofMillis(50);
    private static final Duration MAX_BACKOFF = Duration.ofSeconds(1);
    private static final int DOUBLINGS = 5;

    /**
     * Adds a failure. The back-off doubles from 50 ms to 1 s.
     *
     * @param before the outage before; null if the last call succeeded
     */
    static Outage add(@Nullable Outage before, Throwable failure, long now) {
        int failures = before == null ? 1 : before.failures + 1;
        long backoff = FIRST_BACKOFF.toNanos() << Math.min(DOUBLINGS, failures - 1);
        long retryAt = now + Math.min(backoff, MAX_BACKOFF.toNanos());
        return new Outage(failure, failures, before == null ? now : before.since, retryAt);
    }

    /** The same outage without a back-off. */
    Outage retryNow(long now) {
        return new Outage(last, failures, since, now);
    }

    boolean backsOff(long now) {
        return now - retryAt < 0;
    }

    Duration duration(long now) {
        return Duration.ofNanos(now - since);
    }
}
