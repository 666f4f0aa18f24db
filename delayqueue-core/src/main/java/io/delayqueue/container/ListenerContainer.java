package io.delayqueue.container;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.listener.ListenerStatus.Unavailable;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.listener.Pause;
import io.delayqueue.message.QueueKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Runs one listener. Can be started and stopped any number of times. Thread-safe. */
final class ListenerContainer implements ManagedListener {

    private final ListenerSpec spec;
    private final ListenerContext context;
    private final AttemptLog attempts;
    private final AtomicInteger starts = new AtomicInteger();
    private final Object lock = new Object();
    private @Nullable ListenerRun run;
    private volatile boolean paused;

    /** Creates a container, which is not started. */
    ListenerContainer(ListenerSpec spec, ListenerContext context) {
        this.spec = spec;
        this.context = context;
        this.attempts = new AttemptLog(spec, context.nanoTime(), context.countByHeader());
    }

    @Override
    public String id() {
        return spec.id();
    }

    @Override
    public String topic() {
        return spec.topic();
    }

    @Override
    public QueueKind kind() {
        return spec.kind();
    }

    @Override
    public ListenerOptions options() {
        return spec.options();
    }

    @Override
    public int inUse() {
        synchronized (lock) {
            return run == null ? 0 : run.workers().inUse();
        }
    }

    @Override
    public ListenerStatus status() {
        Attempts lastMinute = attempts.lastMinute();
        boolean isPaused = paused || !pauses().isEmpty();
        synchronized (lock) {
            Unavailable unavailable =
                    run == null || isPaused ? null : run.circuit().unavailable();
            State started = unavailable != null
                    ? State.UNAVAILABLE
                    : run != null && run.failsAlone() ? State.FAILS_ALONE : State.RUNNING;
            return new ListenerStatus(
                    spec.id(),
                    spec.topic(),
                    spec.kind(),
                    run == null ? State.STOPPED : isPaused ? State.PAUSED : started,
                    run == null ? 0 : run.workers().running(),
                    spec.options().concurrency(),
                    unavailable,
                    run == null ? null : run.oldestHandler(),
                    lastMinute,
                    attempts.usual(),
                    run == null ? Duration.ZERO : run.youngestHandler(),
                    attempts.byHeader());
        }
    }

    @Override
    public void start() {
        synchronized (lock) {
            if (run == null) {
                ListenerRun started = new ListenerRun(
                        spec, context, attempts, spec.id() + "#" + starts.incrementAndGet(), this::isPaused);
                started.start(this);
                run = started;
            }
        }
    }

    @Override
    public void remove() {
        context.runs().remove(this);
    }

    @Override
    public CompletableFuture<Void> stop() {
        synchronized (lock) {
            if (run == null) {
                return CompletableFuture.completedFuture(null);
            }
            ListenerRun stopping = run;
            run = null;
            return stopping.stop();
        }
    }

    @Override
    public void pause() {
        pause(true);
    }

    @Override
    public void resume() {
        pause(false);
    }

    private void pause(boolean pause) {
        synchronized (lock) {
            paused = pause;
            if (run != null) {
                run.updateClaiming();
            }
        }
    }

    @Override
    public boolean isRunning() {
        synchronized (lock) {
            return run != null;
        }
    }

    @Override
    public ListenerProgress progress() {
        synchronized (lock) {
            return run == null ? ListenerProgress.NONE : run.progress();
        }
    }

    @Override
    public boolean isPaused() {
        return paused;
    }

    @Override
    public List<Pause> pauses() {
        return context.membership().pauses().of(topic(), id());
    }
}
