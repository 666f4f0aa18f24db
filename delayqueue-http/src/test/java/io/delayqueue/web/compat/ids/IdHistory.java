package io.delayqueue.web.compat.ids;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What was done to an id, by whom and when: the end state must be one that some order of it explains in which nothing is
 * put before what had ended when it began. Thread-safe.
 */
final class IdHistory {

    private static final AtomicLong CLOCK = new AtomicLong();

    private final List<Act> acts = new ArrayList<>();

    /**
     * A push or an end.
     *
     * @param pushed {@code topic=body}, null for an end
     */
    private record Act(@Nullable String pushed, long begun, long ended) {}

    /** Does it and notes it. */
    void act(@Nullable String pushed, Runnable action) {
        long begun = CLOCK.incrementAndGet();
        action.run();
        Act act = new Act(pushed, begun, CLOCK.incrementAndGet());
        synchronized (this) {
            acts.add(act);
        }
    }

    /** Whether what is live now, or that nothing is, can be explained. */
    synchronized boolean explains(List<String> live) {
        if (live.size() > 1) {
            return false;
        }
        long lastBegun = acts.stream().mapToLong(Act::begun).max().orElse(0);
        String left = live.isEmpty() ? null : live.get(0);
        return (acts.isEmpty() && left == null)
                || acts.stream().anyMatch(act -> Objects.equals(act.pushed, left) && act.ended > lastBegun);
    }

    @Override
    public synchronized String toString() {
        return acts.toString();
    }
}
