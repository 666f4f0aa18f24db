package io.delayqueue.container;

import io.delayqueue.coordination.Step;
import io.delayqueue.listener.ListenerProgress;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Notes how a step goes. It costs a look at the monotonic clock for each call of the step. */
final class StepWatch implements Step {

    private final Step step;
    private final BooleanSupplier unanswered;
    private final LongSupplier nanoTime;
    private final boolean punctual;
    private volatile boolean succeeded;
    private volatile long succeededAt;
    private volatile long plannedFor;
    private volatile @Nullable Failing failing;

    /** When the first of the failures in a row was, and what the last one was. */
    private record Failing(long since, Throwable failure) {}

    /**
     * Over a step.
     *
     * @param unanswered whether the step has ended without knowing how it went
     * @param punctual unless steps are called by hand: then none is ever overdue
     */
    StepWatch(Step step, BooleanSupplier unanswered, LongSupplier nanoTime, boolean punctual) {
        this.step = step;
        this.unanswered = unanswered;
        this.nanoTime = nanoTime;
        this.punctual = punctual;
        this.plannedFor = nanoTime.getAsLong();
    }

    @Override
    public Duration step() throws Exception {
        try {
            Duration next = step.step();
            long now = nanoTime.getAsLong();
            if (unanswered.getAsBoolean()) {
                plannedFor = plannedFor - now > 0 ? now : plannedFor;
                return next;
            }
            plannedFor = now + next.toNanos();
            succeededAt = now;
            succeeded = true;
            if (failing != null) {
                failing = null;
            }
            return next;
        } catch (Throwable e) { // whatever it is, it goes on
            Failing before = failing;
            failing = new Failing(before == null ? nanoTime.getAsLong() : before.since(), e);
            throw e;
        }
    }

    /** How it goes now. May be called by any thread. */
    ListenerProgress progress() {
        Failing failed = failing;
        boolean ever = succeeded;
        long last = succeededAt;
        long planned = plannedFor;
        long now = nanoTime.getAsLong(); // after what it is compared with
        Duration sinceSuccess = ever ? Duration.ofNanos(now - last) : null;
        if (failed != null) {
            Duration failingFor = Duration.ofNanos(now - failed.since());
            return new ListenerProgress(sinceSuccess, failingFor, failed.failure(), Duration.ZERO);
        }
        long overdue = punctual ? Math.max(0, now - planned) : 0;
        return new ListenerProgress(sinceSuccess, null, null, Duration.ofNanos(overdue));
    }
}
