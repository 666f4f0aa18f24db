package io.delayqueue.autoconfigure;

import io.delayqueue.Internal;
import org.springframework.context.SmartLifecycle;

/** Runs an action when the application starts, and another when it stops, even if beans are lazy. Thread-safe. */
@Internal
public final class LifecycleAction implements SmartLifecycle {

    private final int phase;
    private final boolean pauseable;
    private final Runnable start;
    private final Runnable stop;
    private boolean running;

    /**
     * Creates a lifecycle.
     *
     * @param phase the phase; that of connection factories is 0
     * @param pauseable whether the actions run when the context is paused and resumed
     * @param start an exception fails the application's start
     */
    public LifecycleAction(int phase, boolean pauseable, Runnable start, Runnable stop) {
        this.phase = phase;
        this.pauseable = pauseable;
        this.start = start;
        this.stop = stop;
    }

    @Override
    public synchronized void start() {
        if (!running) {
            start.run();
            running = true;
        }
    }

    @Override
    public synchronized void stop() {
        stop.run();
        running = false;
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    @Override
    public boolean isPauseable() {
        return pauseable;
    }

    @Override
    public int getPhase() {
        return phase;
    }
}
