package io.delayqueue.test.tasks;

import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.EngineCustomizer;
import io.delayqueue.container.EngineBuilder;
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
 * Runs the tasks of an engine on request only. Tasks and handlers run on the calling thread, handlers in the order of
 * the due times. Thread-safe; one thread at a time runs tasks.
 *
 * <p>While the application stops, a task that becomes due runs immediately on the thread that wakes it, so that
 * listeners can end.
 */
public final class ManualTasks implements EngineCustomizer, SmartLifecycle {

    private static final Log log = LogFactory.getLog(ManualTasks.class);

    /**
     * A task that is due within this time counts as due. The engine delays some settlements by a few milliseconds to
     * batch them, and the queue is not idle during that time.
     */
    private static final Duration SOON = Duration.ofMillis(20);

    private static final int MAX_RUNS = 100_000;

    private final ReentrantLock runLock = new ReentrantLock();
    private final Queue<Runnable> handlers = new ConcurrentLinkedQueue<>();
    private final ManualSignals signals = new ManualSignals();
    private final ManualTaskScheduler scheduler = new ManualTaskScheduler(System::nanoTime, this::taskIsDue);
    private volatile boolean running;
    private volatile boolean stopping;

    /** Creates the tasks of one engine. */
    public ManualTasks() {}

    @Override
    public void customize(EngineBuilder builder) {
        builder.tasks(scheduler).signals(signals).handlers(this::execute);
    }

    /**
     * Polls each listener's topic once, and handles the received messages.
     *
     * @return number of tasks that ran
     * @throws IllegalStateException if a task fails, for example because Redis is unavailable, or if a handler calls
     *     this method
     */
    public int runTasks() {
        acquireRunLock();
        try {
            signals.wakeAll();
            return scheduler.runDue(this::runHandlers);
        } finally {
            runLock.unlock();
        }
    }

    /**
     * Runs tasks until no task is due: all due messages were handled and settled.
     *
     * @return number of tasks that ran
     * @throws IllegalStateException if a task fails, if a handler calls this method, or if tasks are still due after
     *     many runs
     */
    public int runUntilIdle() {
        acquireRunLock();
        try {
            signals.wakeAll();
            int ran = 0;
            while (ran < MAX_RUNS) {
                int now = scheduler.runDue(this::runHandlers);
                ran += now;
                Duration wait = scheduler.untilNext();
                if (now == 0 && wait.compareTo(SOON) > 0) {
                    return ran;
                }
                LockSupport.parkNanos(now == 0 ? wait.toNanos() : 0);
            }
            throw new IllegalStateException("Tasks are still due after " + MAX_RUNS + " runs");
        } finally {
            runLock.unlock();
        }
    }

    private void acquireRunLock() {
        if (runLock.isHeldByCurrentThread()) {
            throw new IllegalStateException("A handler must not run tasks, since it is part of a task");
        }
        runLock.lock();
    }

    private void runHandlers() {
        for (Runnable next = handlers.poll(); next != null; next = handlers.poll()) {
            next.run();
        }
    }

    /**
     * Runs the handlers of a task after that task. Other work, such as completing the future of a send, runs immediately
     * on another thread, because it cannot wait for a task.
     */
    private void execute(Runnable task) {
        if (runLock.isHeldByCurrentThread()) {
            handlers.add(task);
        } else {
            ForkJoinPool.commonPool().execute(task);
        }
    }

    private void taskIsDue() {
        if (stopping && !runLock.isHeldByCurrentThread()) {
            runLock.lock();
            try {
                int ran = 0;
                while (ran < MAX_RUNS && scheduler.untilNext().isZero()) {
                    ran += scheduler.runDue(this::runHandlers);
                }
            } catch (IllegalStateException e) {
                log.debug("A task failed while the application stops", e);
            } finally {
                runLock.unlock();
            }
        }
    }

    @Override
    public void start() {
        running = true;
        stopping = false;
    }

    @Override
    public void stop() {
        stopping = true;
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
