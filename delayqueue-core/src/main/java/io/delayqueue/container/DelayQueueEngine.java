package io.delayqueue.container;

import static java.util.Objects.requireNonNull;

import io.delayqueue.coordination.HandlerStack;
import io.delayqueue.coordination.Membership;
import io.delayqueue.coordination.NodeReport;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.event.EventBus;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.message.DaemonThreads;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource;
import io.delayqueue.store.MessageStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs all background work: listeners, the node's heartbeat and retention. Threads and the subscription are created on
 * first use, so a process that only sends has neither. Several engines can run in one JVM. Thread-safe.
 */
public final class DelayQueueEngine implements AutoCloseable {

    private static final Log log = LogFactory.getLog(DelayQueueEngine.class);
    /** Prefix of the name of each thread. */
    static final String THREAD_NAME = "delayqueue";
    /** Default wait for Redis on close, and on a stop after all deliveries are settled: the default command timeout. */
    static final Duration CLOSE_WAIT = Duration.ofSeconds(5);

    /** Maximum wait for Redis on close, and on a stop after all deliveries are settled in Redis. */
    final Duration closeWait;

    final Membership membership;

    private final String node;
    private final EngineSettings settings;
    /** The monotonic clock. */
    private final LongSupplier nanoTime;

    private final Executor handlers;
    private final TaskPool pool;
    private final PeriodicTaskScheduler tasks;
    private final SignalSource signalSource;
    private final SignalSource signals = new StartingSignals();
    private final RetentionTask retention;
    private final @Nullable ExecutorService ownHandlers;
    private final AtomicInteger consumers = new AtomicInteger();
    private final Supplier<String> host = SingletonSupplier.of(NodeReport::thisHost);
    private final ListenerRuns runs;
    private final ListenerContext listeners;
    /**
     * Shards that had a listener or receiver on this node since the engine started; retention prunes their dead letters.
     * A topic stays after its last listener has stopped, because its dead letters still age.
     */
    private final Set<Shard> consumed = ConcurrentHashMap.newKeySet();

    /** Tasks of {@link #execute} that run. */
    private final Map<Runnable, CompletableFuture<Void>> executing = new ConcurrentHashMap<>();

    // guarded by this
    private boolean started;
    private volatile boolean closed;

    /** Used by the heartbeat task only. */
    private boolean wasConfirmed;

    private volatile @Nullable StackRequest stackRequest;

    /** A request for the stack of a listener, at a time of the monotonic clock. */
    private record StackRequest(String listener, long at) {}

    DelayQueueEngine(EngineBuilder builder) {
        this.node = builder.node;
        MessageStore store = requireNonNull(builder.store, "store");
        this.signalSource = requireNonNull(builder.signals, "signals");
        EventBus events = builder.events;
        this.settings = builder.settings;
        this.nanoTime = builder.nanoTime;
        ThreadFactory threads = builder.threads;
        this.closeWait = builder.closeWait;
        OutageLog outages = new OutageLog(events, nanoTime);
        // System.nanoTime() is the clock of its timer, even if a test replaces the engine's clock
        this.pool = new TaskPool(
                settings.taskThreads(),
                DaemonThreads.factory(threads, THREAD_NAME + "-task"),
                System::nanoTime,
                outages);
        PeriodicTaskScheduler manual = builder.tasks;
        this.tasks = manual == null ? pool : manual;
        this.runs = new ListenerRuns(threads, tasks.runsInBackground());
        this.membership = new Membership(
                requireNonNull(builder.scripts, "scripts"),
                requireNonNull(builder.keySpace, "keySpace"),
                node,
                settings.heartbeat(),
                settings.heartbeatTimeout(),
                nanoTime,
                this::report,
                this::afterHeartbeat);
        membership.onStackRequest(listener -> stackRequest = new StackRequest(listener, nanoTime.getAsLong()));
        // a heartbeat sends the canary that confirms the signals, and its reply has the new shard assignment
        signalSource.onChange(membership::heartbeatNow);
        this.retention = new RetentionTask(store, consumed, settings, events, nanoTime);
        Executor given = builder.handlers;
        // the permits of the listeners' workers limit the number of its threads
        ExecutorService own = given == null ? DaemonThreads.executor(threads, THREAD_NAME + "-handler") : null;
        this.ownHandlers = own;
        this.handlers = given == null ? requireNonNull(own) : given;
        this.listeners = new ListenerContext(
                store,
                requireNonNull(builder.registry, "registry"),
                signals,
                membership,
                tasks,
                handlers,
                events,
                settings,
                nanoTime,
                new IsolationSlot(),
                this::nextConsumer,
                runs,
                requireNonNull(builder.converter, "converter"),
                builder.interceptors,
                builder.countByHeader,
                closeWait);
    }

    /** Returns a builder. */
    public static EngineBuilder builder() {
        return new EngineBuilder();
    }

    /** Creates a container, which is not started. */
    public ListenerContainer newContainer(ListenerSpec spec) {
        return new ListenerContainer(spec, listeners);
    }

    private NodeReport report() {
        ProcessHandle process = ProcessHandle.current();
        return new NodeReport(
                host.get(),
                process.pid(),
                process.info().startInstant().orElse(Instant.EPOCH),
                runs.statuses(),
                requestedStack());
    }

    private @Nullable HandlerStack requestedStack() {
        StackRequest request = stackRequest;
        return request != null && nanoTime.getAsLong() - request.at() < HandlerStack.REPORTED.toNanos()
                ? runs.stack(request.listener())
                : null;
    }

    /** This node's unique name. */
    public String node() {
        return node;
    }

    /** The monotonic clock of the engine. */
    public LongSupplier nanoTime() {
        return nanoTime;
    }

    /** The scheduler of the engine's tasks, for further periodic tasks. */
    public PeriodicTaskScheduler tasks() {
        return tasks;
    }

    /**
     * The source of signals. The subscription and the heartbeat start with the first {@code listen}.
     */
    public SignalSource signals() {
        return signals;
    }

    /**
     * Registers this node as a consumer of a shard's topic, without an assignment to sweep the shard.
     *
     * @return removes the registration; run it once
     */
    public Runnable addConsumer(Shard shard) {
        return membership.addConsumer(shard);
    }

    /** Sets the listener for jobs, see {@link Membership#onJobs}. */
    public void onJobs(Runnable listener) {
        membership.onJobs(listener);
    }

    /** Lists this process as a node, even if it consumes nothing. */
    public void join() {
        startHeartbeat();
    }

    /** Runs a task, which may block, on a handler thread. {@link #close()} waits for it. */
    public void execute(Runnable task) {
        handlers.execute(() -> {
            CompletableFuture<Void> end = new CompletableFuture<>();
            executing.put(task, end);
            try {
                task.run();
            } finally {
                executing.remove(task);
                end.complete(null);
            }
        });
    }

    /** Whether the engine is closed or closes. Tasks should then end soon. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Stops the engine. Stop the containers first: an open delivery is delivered again when its lease ends, and a
     * settlement that has no reply from Redis fails. Takes five seconds at most if Redis does not reply.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            membership.cancel();
            retention.cancel();
            runs.close();
        }
        long deadline = System.nanoTime() + closeWait.toNanos();
        pool.close();
        signalSource.stop();
        awaitTasks();
        awaitExecuting(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
        leave(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
        runs.abandonAll();
        if (ownHandlers != null) {
            ownHandlers.shutdown();
        }
    }

    private void awaitTasks() {
        try {
            if (!pool.awaitEnd(closeWait)) {
                log.warn("Tasks of the delay queue engine did not end within " + DurationText.of(closeWait));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitExecuting(Duration wait) {
        try {
            CompletableFuture.allOf(executing.values().toArray(CompletableFuture[]::new))
                    .get(wait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            log.warn("Jobs of the delay queue did not end their batch within " + DurationText.of(closeWait));
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // they never fail
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Removes the node from the list of nodes. Called after the last heartbeat, because a heartbeat adds the node. */
    private void leave(Duration wait) {
        if (started && !wait.isZero()) {
            membership.leave(wait);
        }
    }

    private synchronized void startHeartbeat() {
        if (!started && !closed) {
            started = true;
            signalSource.start();
            membership.schedule(tasks, "heartbeat");
            retention.schedule(tasks, "retention");
        }
    }

    /** Makes all consumers poll if signals stopped arriving: some may have been lost. */
    private void afterHeartbeat() {
        signalSource.afterHeartbeat();
        boolean confirmed = signalSource.confirmed();
        if (wasConfirmed && !confirmed) {
            membership.pollAll();
        }
        wasConfirmed = confirmed;
    }

    /** Starts the subscription for signals on first use. */
    private final class StartingSignals implements SignalSource {

        @Override
        public Subscription listen(Shard shard, SignalListener listener) {
            Subscription subscription = signalSource.listen(shard, listener);
            consumed.add(shard.messages());
            startHeartbeat();
            return subscription;
        }

        @Override
        public Subscription listenUnregistered(Shard shard, SignalListener listener) {
            Subscription subscription = signalSource.listenUnregistered(shard, listener);
            startHeartbeat();
            return subscription;
        }

        @Override
        public boolean confirmed() {
            return signalSource.confirmed();
        }
    }

    /** Returns a consumer name that is unique across nodes and restarts. */
    private String nextConsumer() {
        return node + ".c" + Integer.toString(consumers.incrementAndGet(), 36);
    }
}
