package io.delayqueue.test.tasks;

import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.autoconfigure.EngineCustomizer;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.container.EngineBuilder;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.ShardReader;
import java.time.Clock;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;
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
    private final Polls polls = new Polls();
    private final RunningHandlers running = new RunningHandlers(System::nanoTime);
    private final KeySpace keySpace;
    private final TestTime time;
    private final ManualTaskScheduler scheduler;
    private final Advance advance;
    private final NodeDirectory nodes;
    private final ScriptRunner scripts;
    private final ObjectProvider<DelayQueueEngine> engine;
    private volatile boolean advancing;
    private volatile boolean started;
    private volatile boolean stopping;

    /**
     * Creates the tasks of one engine.
     *
     * @param scripts runs the {@link #scriptVariants variants} of the scripts
     */
    public ManualTasks(
            ScriptRunner scripts,
            KeySpace keySpace,
            ShardReader reader,
            NodeDirectory nodes,
            ObjectProvider<DelayQueueEngine> engine,
            ObjectProvider<DelayListenerRegistry> listeners) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.nodes = nodes;
        this.engine = engine;
        this.time = new TestTime(scripts, keySpace);
        this.scheduler = new ManualTaskScheduler(time::nanos, this::taskIsDue);
        this.advance = new Advance(
                time,
                polls,
                running,
                scheduler,
                signals,
                reader,
                shard -> largestBatch(listeners, shard),
                this::runHandlers);
    }

    private static int largestBatch(ObjectProvider<DelayListenerRegistry> registries, Shard shard) {
        return registries.stream()
                .flatMap(registry -> registry.getContainers().stream())
                .filter(listener -> listener.topic().equals(shard.topic()) && listener.kind() == shard.kind())
                .mapToInt(listener -> listener.options().batchSize())
                .max()
                .orElse(1);
    }

    /** Maps each script to a variant that reads the time that {@link #advance} moves. */
    public static UnaryOperator<LuaScript> scriptVariants(KeySpace keySpace) {
        return TestTime.variants(keySpace);
    }

    /** Creates the store through which the context polls. */
    public MessageStore store(Function<ScriptRunner, MessageStore> factory) {
        return polls.store(scripts, factory);
    }

    /** The interceptor that watches the handlers. */
    public DeliveryInterceptor interceptor() {
        return running;
    }

    /** The clock that {@link #advance} moves. */
    public Clock clock() {
        return time.clock();
    }

    @Override
    public void customize(EngineBuilder builder) {
        builder.tasks(scheduler).signals(signals).handlers(this::execute).nanoTime(time::nanos);
    }

    /**
     * Moves the time forward, and stops at each due time and lease end on the way. There, handles what is due, one
     * handler at a time, in the order of the due times and then of the ids. The clocks stand still meanwhile.
     *
     * @param timeout after which a handler is interrupted, and longest wait for Redis
     * @throws AssertionError if a handler does not end within its timeout
     * @throws IllegalStateException if another node consumes topics of the namespace, if Redis is a Cluster, if another
     *     thread or a handler runs tasks, or if a task fails
     */
    public void advance(Duration duration, Duration timeout) {
        if (runLock.isHeldByCurrentThread() || !runLock.tryLock()) {
            throw new IllegalStateException(
                    "The time cannot be advanced while a handler or another thread runs the queue's tasks");
        }
        try {
            advancing = true;
            time.resumeIfStopped();
            requireSingleNode();
            running.timeout(timeout);
            polls.timeout(timeout);
            advance.by(duration);
        } finally {
            running.timeout(null);
            polls.timeout(null);
            advancing = false;
            runLock.unlock();
        }
    }

    private void requireSingleNode() {
        if (scripts.isClustered()) {
            throw new IllegalStateException(
                    "The time cannot be advanced in a Redis Cluster, because its masters have no common clock");
        }
        String own = engine.getObject().node();
        nodes.read().nodes().stream()
                .filter(node -> !node.name().equals(own))
                .filter(node ->
                        !node.messages().isEmpty() || !node.notifications().isEmpty())
                .findFirst()
                .ifPresent(other -> {
                    throw new IllegalStateException("The time of namespace '" + keySpace.namespace()
                            + "' cannot be advanced, because another node consumes its topics: " + other.name()
                            + " of host "
                            + other.report().host() + ", process "
                            + other.report().processId()
                            + ". Close its context, or give each context a delayqueue.namespace");
                });
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
            time.resumeIfStopped();
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
            time.resumeIfStopped();
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
        if (advancing) {
            throw new IllegalStateException("Tasks cannot be run while another thread advances the time");
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
        started = true;
        stopping = false;
        time.refresh();
    }

    @Override
    public void stop() {
        stopping = true;
        started = false;
    }

    @Override
    public boolean isRunning() {
        return started;
    }

    /** Stops before the listeners do. */
    @Override
    public int getPhase() {
        return DelayListenerRegistry.PHASE + 1;
    }
}
