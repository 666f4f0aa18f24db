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

    private static final int MANY = 100_000;

    private final ReentrantLock driving = new ReentrantLock();
    private final Queue<Runnable> handling = new ConcurrentLinkedQueue<>();
    private final ManualSignals signals = new ManualSignals();
    private final ManualTaskScheduler scheduler = new ManualTaskScheduler(System::nanoTime, this::woken);
    private volatile boolean running;
    private volatile boolean ending;

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
        begin();
        try {
            signals.wakeAll();
            return scheduler.callDue(this::handle);
        } finally {
            driving.unlock();
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
        begin();
        try {
            signals.wakeAll();
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
            throw new IllegalStateException("Tasks are still due after " + MANY + " runs");
        } finally {
            driving.unlock();
        }
    }

    private void begin() {
        if (driving.isHeldByCurrentThread()) {
            throw new IllegalStateException("A handler must not run tasks, since it is part of a task");
        }
        driving.lock();
    }

    private void handle() {
        for (Runnable next = handling.poll(); next != null; next = handling.poll()) {
            next.run();
        }
    }

    /**
     * Runs the handlers of a task after that task. Other work, such as connecting, runs immediately on another thread,
     * because it cannot wait for a task.
     */
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
                log.debug("A task failed while the application stops", e);
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
