package io.delayqueue.management.guard;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A token bucket that holds the requests of one second: after a pause, that many requests are permitted at once.
 * Thread-safe, without locks.
 */
final class RateLimit {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final long interval;
    private final LongSupplier nanoTime;
    /** The time at which the bucket is full again. */
    private final AtomicLong fullAt;

    /**
     * Creates a full bucket.
     *
     * @param requestsPerSecond 1 to 1,000,000
     * @param nanoTime the monotonic clock, in nanoseconds
     */
    RateLimit(int requestsPerSecond, LongSupplier nanoTime) {
        this.interval = SECOND / requestsPerSecond;
        this.nanoTime = nanoTime;
        this.fullAt = new AtomicLong(nanoTime.getAsLong());
    }

    /** Takes a token. Returns false if the bucket is empty; a token is available within a second. */
    boolean tryAcquire() {
        long now = nanoTime.getAsLong();
        while (true) {
            long known = fullAt.get();
            long next = (known - now > 0 ? known : now) + interval;
            if (next - now > SECOND) {
                return false;
            }
            if (fullAt.compareAndSet(known, next)) {
                return true;
            }
        }
    }
}
