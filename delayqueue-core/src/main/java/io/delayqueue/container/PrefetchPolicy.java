package io.delayqueue.container;

import io.delayqueue.listener.ListenerOptions;
import java.time.Duration;

/**
 * Limits how many deliveries are claimed in advance: as many as the workers handle in 250 ms, by a moving average of
 * the handling time, up to the listener's prefetch. Slow handlers thus leave messages to other nodes. Thread-safe.
 */
final class PrefetchPolicy {

    private static final double AHEAD = Duration.ofMillis(250).toNanos();
    private static final double WEIGHT = 0.1;

    private final int concurrency;
    private final int max;
    private volatile double nanosPerMessage = -1;
    private volatile boolean stalled;

    /**
     * Creates the policy of a listener. If messages have a single attempt, nothing is claimed in advance: a killed
     * process uses up one attempt of each claimed message, so messages that no handler received would be dead-lettered.
     */
    PrefetchPolicy(ListenerOptions options) {
        this(options.concurrency() * options.batchSize(), options.maxAttempts() == 1 ? 0 : options.prefetch());
    }

    PrefetchPolicy(int concurrency, int max) {
        this.concurrency = concurrency;
        this.max = max;
    }

    /** Records the duration of one handler call. */
    void handled(long nanos, int messages) {
        double measured = Math.max(1, (double) nanos / messages);
        double before = nanosPerMessage;
        stalled = false;
        nanosPerMessage = before < 0 ? measured : before + WEIGHT * (measured - before);
    }

    /** Records that waiting deliveries were released. Nothing is claimed in advance until a handler call ends. */
    void released() {
        stalled = true;
    }

    int allowed() {
        if (stalled) {
            return 0;
        }
        double measured = nanosPerMessage;
        if (measured < 0) {
            return Math.min(max, concurrency);
        }
        return (int) Math.min(max, concurrency * AHEAD / measured);
    }
}
