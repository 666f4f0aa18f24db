package io.delayqueue.container.delivery;

import io.delayqueue.listener.ListenerOptions;
import java.time.Duration;

/**
 * How many deliveries may be claimed beyond those that are handled: what the workers get through in a quarter of a
 * second as measured lately, within the listener's limit. Slow handlers leave the rest to other nodes. Thread-safe.
 */
public final class PrefetchPolicy {

    private static final double AHEAD = Duration.ofMillis(250).toNanos();
    private static final double WEIGHT = 0.1;

    private final int concurrency;
    private final int max;
    private volatile double nanosPerMessage = -1;
    private volatile boolean stalled;

    /**
     * For a listener. Nothing is claimed ahead where messages are permitted one attempt: a process that is killed spends an
     * attempt of all that it had claimed, and would bury what no handler ever saw.
     */
    public PrefetchPolicy(ListenerOptions options) {
        this(options.concurrency() * options.batchSize(), options.maxAttempts() == 1 ? 0 : options.prefetch());
    }

    PrefetchPolicy(int concurrency, int max) {
        this.concurrency = concurrency;
        this.max = max;
    }

    /** Takes a measurement: one call of the handler. */
    void handled(long nanos, int messages) {
        double measured = Math.max(1, (double) nanos / messages);
        double before = nanosPerMessage;
        stalled = false;
        nanosPerMessage = before < 0 ? measured : before + WEIGHT * (measured - before);
    }

    /** Deliveries were handed back unstarted: none is claimed ahead until a handler ends. */
    void handedBack() {
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
