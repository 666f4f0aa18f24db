package io.delayqueue.autoconfigure.health;

import org.springframework.context.SmartLifecycle;

/** A check at the application's start, before beans that send, listen or serve requests are started. */
abstract class StartCheck implements SmartLifecycle {

    private final int phase;
    private boolean running;

    /**
     * Creates a check.
     *
     * @param phase the phase of its lifecycle; that of connection factories is 0
     */
    StartCheck(int phase) {
        this.phase = phase;
    }

    /** Runs the check. An exception fails the application's start. */
    abstract void check();

    /** Cancels a check that is still in progress. */
    void end() {}

    @Override
    public final synchronized void start() {
        check();
        running = true;
    }

    @Override
    public final synchronized void stop() {
        end();
        running = false;
    }

    @Override
    public final synchronized boolean isRunning() {
        return running;
    }

    /** The check is not repeated when a paused context resumes. */
    @Override
    public final boolean isPauseable() {
        return false;
    }

    @Override
    public final int getPhase() {
        return phase;
    }
}
