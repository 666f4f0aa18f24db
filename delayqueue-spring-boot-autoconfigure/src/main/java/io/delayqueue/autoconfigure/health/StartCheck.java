package io.delayqueue.autoconfigure.health;

import org.springframework.context.SmartLifecycle;

/** Checks something once, when the application starts, before whatever sends, listens or serves. */
abstract class StartCheck implements SmartLifecycle {

    private final int phase;
    private boolean running;

    /**
     * In its turn.
     *
     * @param phase connection factories have 0
     */
    StartCheck(int phase) {
        this.phase = phase;
    }

    /** Throws what is to fail the start. */
    abstract void check();

    /** Ends what the check has left behind. */
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

    /** What was checked once need not be again. */
    @Override
    public final boolean isPauseable() {
        return false;
    }

    @Override
    public final int getPhase() {
        return phase;
    }
}
