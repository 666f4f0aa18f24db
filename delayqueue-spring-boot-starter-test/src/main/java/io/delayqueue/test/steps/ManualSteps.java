package io.delayqueue.test.steps;

import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.EngineCustomizer;
import io.delayqueue.container.EngineBuilder;
import io.delayqueue.container.SignalsControl;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Has an engine do nothing but when it is told to: its steps are called by whoever asks for it, and handlers run on the
 * same thread, in the order of the due times. Thread-safe; one thread at a time drives.
 *
 * <p>While the application stops, steps are called as they ask for it, so that listeners can end.
 */
public final class ManualSteps implements EngineCustomizer, SmartLifecycle {

    private static final Log log = LogFactory.getLog(ManualSteps.class);

    /** The engine lets some answers wait a few milliseconds for others: that is no idleness. */
    private static final Duration SOON = Duration.ofMillis(20);

    private static final int MANY = 100_000;

    private final ReentrantLock driving = new ReentrantLock();
    private final Queue<Runnable> handling = new ConcurrentLinkedQueue<>();
    private final ManualSignals signals = new ManualSignals();
    private final ManualStepScheduler scheduler = new ManualStepScheduler(System::nanoTime, this::woken);
    private volatile boolean running;
    private volatile boolean ending;

    /** For one engine. */
    public ManualSteps() {}

    @Override
    public void customize(EngineBuilder builder) {
        builder.steps(scheduler).signals(signals, SignalsControl.none()).handlers(this::execute);
    }

    /**
     * Has every listener look at its topic once, and handles what it finds.
     *
     * @return how many steps were called
     * @throws IllegalStateException if a step fails, as without Redis, or if it is called by a handler
     */
    public int runSteps() {
        begin();
        try {
            signals.lookEverywhere();
            return scheduler.callDue(this::handle);
        } finally {
            driving.unlock();
        }
    }

    /**
     * Goes on until there is nothing to do before time goes by: all that is due was handled and answered.
     *
     * @return how many steps were called
     * @throws IllegalStateException if a step fails, if it is called by a handler, or if there is no end to it
     */
    public int runUntilIdle() {
        begin();
        try {
            signals.lookEverywhere();
            int called = 0;
            while (called < MANY) {
                int now = scheduler.callDue(this::handle);
                called += now;
                Duration wait = scheduler.untilNext();
                if (now == 0 && wait.compareTo(SOON) > 0) {
                    return called;
                }
                LockSupport.parkNanos(now == 0 ? wait.toNanos() : 0);
            }
            throw new IllegalStateException("After " + MANY + " steps there still is something to do");
        } finally {
            driving.unlock();
        }
    }

    private void begin() {
        if (driving.isHeldByCurrentThread()) {
            throw new IllegalStateException("A handler can't run the steps that it is part of");
        }
        driving.lock();
    }

    private void handle() {
        for (Runnable next = handling.poll(); next != null; next = handling.poll()) {
            next.run();
        }
    }

    /** Handlers wait for the step to end; what comes from elsewhere (connecting, for one) can't wait for a step. */
    private void execute(Runnable task) {
        if (driving.isHeldByCurrentThread()) {
            handling.add(task);
        } else {
            ForkJoinPool.commonPool().execute(task);
        }
    }

    private void woken() {
        if (ending && !driving.isHeldByCurrentThread()) {
            driving.lock();
            try {
                int called = 0;
                while (called < MANY && scheduler.untilNext().isZero()) {
                    called += scheduler.callDue(this::handle);
                }
            } catch (IllegalStateException e) {
                log.debug("A step failed while the application stops", e);
            } finally {
                driving.unlock();
            }
        }
    }

    @Override
    public void start() {
        running = true;
        ending = false;
    }

    @Override
    public void stop() {
        ending = true;
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Stops before the listeners do. */
    @Override
    public int getPhase() {
        return DelayListenerRegistry.PHASE + 1;
    }
}
