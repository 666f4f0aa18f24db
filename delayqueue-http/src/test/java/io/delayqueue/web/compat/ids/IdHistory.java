package io.delayqueue.web.compat.ids;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The acts on an id with their times. Some order of the acts must explain the end state, without moving an act before one
 * that had ended when it began. Thread-safe.
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

    /** Runs an action and records it. */
    void act(@Nullable String pushed, Runnable action) {
        long begun = CLOCK.incrementAndGet();
        action.run();
        Act act = new Act(pushed, begun, CLOCK.incrementAndGet());
        synchronized (this) {
            acts.add(act);
        }
    }

    /** Whether an order of the acts explains the live messages. */
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
