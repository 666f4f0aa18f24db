package io.delayqueue.test.redis;

import java.time.Duration;
import java.util.Set;

/**
 * The faults that are switched on in a {@link FaultProxy}; written by tests, read by its threads.
 */
final class ProxyFaults {

    private final ReplyCuts replyCuts = new ReplyCuts();

    private volatile Duration delay = Duration.ZERO;

    private volatile Set<Direction> swallowed = Set.of();

    private volatile boolean cut;

    ReplyCuts replyCuts() {
        return this.replyCuts;
    }

    Duration delay() {
        return this.delay;
    }

    void delay(Duration delay) {
        this.delay = delay;
    }

    Set<Direction> swallowed() {
        return this.swallowed;
    }

    void swallow(Set<Direction> directions) {
        this.swallowed = Set.copyOf(directions);
    }

    boolean isCut() {
        return this.cut;
    }

    void cut() {
        this.cut = true;
    }

    void clear() {
        this.replyCuts.clear();
        this.delay = Duration.ZERO;
        this.swallowed = Set.of();
        this.cut = false;
    }
}
