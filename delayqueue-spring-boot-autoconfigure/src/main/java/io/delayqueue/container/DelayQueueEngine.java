package io.delayqueue.container;

import io.delayqueue.container.ContainerSupport.EngineRun;
import io.delayqueue.container.delivery.DeliveryPipeline;
import io.delayqueue.container.delivery.PollerEvents;
import io.delayqueue.container.delivery.PrefetchPolicy;
import io.delayqueue.container.delivery.ShardPoller;
import io.delayqueue.coordination.Membership;
import io.delayqueue.coordination.StepScheduler;
import io.delayqueue.coordination.StepScheduler.StepHandle;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs everything that runs by itself: listeners, the node's heartbeat, retention. It starts nothing before it is needed:
 * a process that only sends has no engine thread and no subscription. No statics: two engines may live in one JVM.
 * Thread-safe.
 */
public final class DelayQueueEngine implements AutoCloseable {

    private static final Log log = LogFactory.getLog(DelayQueueEngine.class);
    /** How long Redis is waited for when there is nothing to lose by not waiting; as long as a command takes by default. */
    static final Duration CLOSE_WAIT = Duration.ofSeconds(5);
    /** A hundred round trips to a server that is well: one that takes longer must not hold up others. */
    private static final Duration PATIENCE = Duration.ofMillis(20);
    /** Whoever calls steps by hand wants each to be done when it ends; calls end by their time-out. */
    private static final Duration FOR_GOOD = Duration.ofHours(1);

    private final EngineParts parts;
    private final StepPool pool;
    private final StepScheduler steps;
    private final OutageLog outages;
    private final Membership membership;
    private final SignalSource signals;
    private final Executor handlers;
    private final @Nullable ExecutorService ownHandlers;
    private final AtomicInteger consumers = new AtomicInteger();
    private final Set<EngineRun> running = ConcurrentHashMap.newKeySet();
    private final Set<EngineRun> open = ConcurrentHashMap.newKeySet();
    private final Set<Shard> consumed = ConcurrentHashMap.newKeySet();
    private final Support support = new Support();
    private @Nullable CountDownLatch alive;
    private @Nullable StepHandle heartbeat;
    private @Nullable StepHandle retention;
    private boolean closed;
    private volatile boolean wasConfirmed;

    DelayQueueEngine(EngineParts parts) {
        this.parts = parts;
        this.outages = new OutageLog(parts.events(), parts.nanoTime());
        // by the clock of its timer, whatever time the rest is told
        this.pool =
                new StepPool(parts.settings().stepThreads(), HandlerThreads.NAME, System::nanoTime, outages::failed);
        StepScheduler manual = parts.steps();
        this.steps = manual == null ? pool : manual;
        this.membership = new Membership(
                parts.scripts(),
                parts.keySpace(),
                parts.node(),
                parts.settings().heartbeat(),
                parts.settings().heartbeatTimeout(),
                parts.nanoTime());
        this.signals = new StartingSignals(parts.signals(), this::consumed, membership::hasten);
        Executor given = parts.handlers();
        ExecutorService own = given == null ? HandlerThreads.cached() : null;
        this.ownHandlers = own;
        this.handlers = given == null ? Objects.requireNonNull(own) : given;
    }

    /** Begins to assemble an engine. */
    public static EngineBuilder builder() {
        return new EngineBuilder();
    }

    /** Makes a container, which is not started. */
    public ListenerContainer newContainer(ListenerSpec spec) {
        return new ListenerContainer(spec, support);
    }

    /** This node's name, as others see it. */
    public String node() {
        return parts.node();
    }

    /** The scheduler of this engine's steps, for whatever else is periodic. */
    public StepScheduler steps() {
        return steps;
    }

    /** Signals; the subscription and the heartbeat begin with the first listener. */
    public SignalSource signals() {
        return signals;
    }

    /** Runs something that may block where handlers run. */
    public void execute(Runnable task) {
        handlers.execute(task);
    }

    /**
     * Ends everything at once; containers should have been stopped before. What is still leased comes back when its lease
     * ends, and answers that Redis has not taken fail. Waits five seconds at most, when Redis doesn't answer.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            cancel(heartbeat);
            cancel(retention);
            if (alive != null) {
                alive.countDown();
            }
        }
        long deadline = System.nanoTime() + CLOSE_WAIT.toNanos();
        pool.close();
        parts.signalsControl().stop();
        awaitSteps();
        leave(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
        open.forEach(EngineRun::abandon);
        if (ownHandlers != null) {
            ownHandlers.shutdown();
        }
    }

    private static void cancel(@Nullable StepHandle step) {
        if (step != null) {
            step.cancel();
        }
    }

    private void awaitSteps() {
        try {
            if (!pool.awaitEnd(CLOSE_WAIT)) {
                log.warn("The delay queue's steps have not ended within " + CLOSE_WAIT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** After the last heartbeat, which would put the node on the list again. */
    private void leave(Duration wait) {
        if (heartbeat != null && !wait.isZero()) {
            membership.leave(wait);
        }
    }

    /** Whoever hears a shard's signals consumes it: a listener, or a receiver. */
    private synchronized void consumed(Shard shard) {
        consumed.add(shard.messages());
        if (heartbeat == null && !closed) {
            parts.signalsControl().start();
            StepHandle handle = steps.schedule("heartbeat", this::beat);
            heartbeat = handle;
            membership.attach(handle);
            retention = steps.schedule(
                    "retention", new RetentionStep(parts.store(), consumed, parts.settings(), parts.events()));
        }
    }

    private Duration beat() {
        Duration next = membership.step();
        parts.signalsControl().afterHeartbeat();
        boolean confirmed = parts.signals().confirmed();
        if (wasConfirmed && !confirmed) {
            membership.lookAll();
        }
        wasConfirmed = confirmed;
        return next;
    }

    private synchronized void keepAlive(EngineRun run) {
        if (closed) {
            throw new IllegalStateException("The delay queue's engine was closed");
        }
        running.add(run);
        open.add(run);
        if (alive == null && parts.steps() == null) {
            CountDownLatch latch = new CountDownLatch(1);
            alive = latch;
            HandlerThreads.keepAlive(latch);
        }
    }

    private synchronized void letGo(EngineRun run) {
        running.remove(run);
        if (running.isEmpty() && alive != null) {
            alive.countDown();
            alive = null;
        }
    }

    private final class Support implements ContainerSupport {

        @Override
        public List<Shard> shards(String topic) {
            return parts.registry().shards(topic);
        }

        @Override
        public LongSupplier nanoTime() {
            return parts.nanoTime();
        }

        @Override
        public DeliveryPipeline pipeline(ListenerSpec spec, PrefetchPolicy prefetch) {
            return new DeliveryPipeline(
                    spec, parts.interceptors(), parts.converter(), parts.events(), prefetch, parts.nanoTime());
        }

        @Override
        public ShardPoller.Tools tools(ListenerSpec spec, PrefetchPolicy prefetch) {
            return new ShardPoller.Tools(
                    parts.store(),
                    signals,
                    parts.settings().pace(),
                    parts.nanoTime(),
                    new PollerEvents(parts.events(), spec),
                    prefetch,
                    handlers,
                    stepsByItself() ? PATIENCE : FOR_GOOD);
        }

        @Override
        public String nextConsumer() {
            return parts.node() + ".c" + Integer.toString(consumers.incrementAndGet(), 36);
        }

        @Override
        public Executor handlers() {
            return handlers;
        }

        @Override
        public SignalSource signals() {
            return signals;
        }

        @Override
        public Membership membership() {
            return membership;
        }

        @Override
        public StepScheduler steps() {
            return steps;
        }

        @Override
        public boolean stepsByItself() {
            return parts.steps() == null;
        }

        @Override
        public void running(EngineRun run) {
            keepAlive(run);
        }

        @Override
        public void stopped(EngineRun run) {
            letGo(run);
        }

        @Override
        public void ended(EngineRun run) {
            open.remove(run);
        }
    }
}
