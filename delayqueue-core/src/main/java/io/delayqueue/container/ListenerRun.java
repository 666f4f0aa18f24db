package io.delayqueue.container;

import io.delayqueue.coordination.HandlerStack;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.coordination.RedisTask;
import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.listener.ListenerStatus.RunningHandler;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.Completions;
import io.delayqueue.message.DaemonThreads;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.Printable;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One run of a listener, from start to stop. It consumes as soon as Redis has replied with the topic's number of shards.
 * After a stop it remains until all open deliveries are settled.
 *
 * <p>Thread-safe. The monitor guards changes of the shards, of whether they claim, and of the tasks.
 */
final class ListenerRun {

    private static final Log log = LogFactory.getLog(ListenerRun.class);
    /** Completes stops that time out: a callback of a user may block, so it must not run on the JVM's timer. */
    private static final Executor TIMED_OUT = DaemonThreads.executor(DelayQueueEngine.THREAD_NAME + "-stop");

    private final ListenerSpec spec;
    private final ListenerContext context;
    private final AttemptLog attempts;
    private final String name;
    private final BooleanSupplier paused;
    private final ClaimBudget budget;
    private final Circuit circuit;
    private final FailsAlone failsAlone;
    private final DeliveryPipeline pipeline;
    private final Workers workers;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicInteger turn = new AtomicInteger();
    private final RedisTask opening;
    /** The thread of a handler that runs in isolation, without a permit. */
    private final HandlerThreads isolated = new HandlerThreads();
    /** The stop that handlers wait for; null if there is none. */
    private volatile @Nullable WaitedFor waitedFor;

    // guarded by this
    private volatile List<ListenerShard> shards = List.of(); // read without the monitor
    private Runnable removePauseListener = () -> {};
    private @Nullable TaskHandle probes;
    /** Begins the probes of a listener that fails alone; null before the start, or if it must not claim slower. */
    private @Nullable TaskHandle slowProbes;

    private boolean claiming;
    /** Whether the shards may be assigned to this node. Probes are claimed without. */
    private boolean joined;

    private boolean ending;

    /**
     * A stop for which handlers of the listener wait, because they close the application or end the JVM.
     *
     * @param stop ends when only these handlers are left
     * @param permits the permits that they have; none in isolation
     * @param inIsolation whether the handler in isolation is one of them
     */
    private record WaitedFor(CompletableFuture<Void> stop, int permits, boolean inIsolation) {}

    /**
     * Creates a run.
     *
     * @param attempts counts and logs the attempts of all runs of the listener
     * @param name of the tasks, for the log
     * @param paused whether the application paused the listener
     */
    ListenerRun(ListenerSpec spec, ListenerContext context, AttemptLog attempts, String name, BooleanSupplier paused) {
        this.spec = spec;
        this.context = context;
        this.attempts = attempts;
        this.name = name;
        this.paused = paused;
        this.budget = new ClaimBudget(spec.options(), context.settings().linger());
        String listener = "listener " + Printable.of(spec.id()) + " of topic " + Printable.of(spec.topic());
        this.circuit = new Circuit(listener, context.nanoTime(), this::circuitChanged);
        this.failsAlone = new FailsAlone(
                listener,
                context.settings().slowIfFailingAlone(),
                attempts,
                watcher -> context.membership().peers().watch(spec.topic(), spec.kind(), watcher),
                context.nanoTime(),
                this::failsAloneChanged);
        this.pipeline = new DeliveryPipeline(
                spec,
                context.converter(),
                context.interceptors(),
                context.events(),
                context.nanoTime(),
                budget,
                circuit);
        this.workers = new Workers(
                context.handlers(), spec.options().concurrency(), this::nextBatch, pipeline::handle, this::idle);
        this.opening = new Opening();
    }

    /** Starts the run of a listener. Called once. */
    synchronized void start(ManagedListener listener) {
        context.runs().started(listener, this);
        log.info("Listener " + Printable.of(spec.id()) + " starts on topic " + Printable.of(spec.topic())
                + (paused.getAsBoolean() ? ", paused" : ""));
        removePauseListener = context.membership().pauses().onChange(this::updateClaiming);
        updateClaiming();
        if (context.settings().slowIfFailingAlone()) {
            slowProbes = context.tasks().schedule(name + " failures", failsAlone);
        }
        opening.schedule(context.tasks(), name + " opening");
    }

    /** Reads the topic's shards and starts to poll them. */
    private final class Opening extends RedisTask {

        Opening() {
            super(context.nanoTime());
        }

        @Override
        protected Duration roundTrip() {
            List<Shard> registered = reply(() -> context.registry().shards(spec.topic()));
            if (registered == null) {
                return UNTIL_WOKEN;
            }
            synchronized (ListenerRun.this) { // held while the task is scheduled, so cancel() finds its handle
                if (shards.isEmpty() && !ending) {
                    shards = registered.stream().map(ListenerRun.this::listened).toList();
                    if (joined) {
                        shards.forEach(ListenerShard::join);
                    }
                    if (claiming) {
                        shards.forEach(ListenerShard::resume);
                    }
                }
                cancel();
            }
            return UNTIL_WOKEN;
        }
    }

    private ListenerShard listened(Shard messages) {
        Shard shard = spec.kind() == QueueKind.NOTIFICATIONS ? messages.notifications() : messages;
        ListenerShard listened = new ListenerShard(context, spec, shard, budget, attempts, failsAlone, this);
        listened.start(shard.count() == 1 ? name : name + " shard " + shard.index());
        return listened;
    }

    /**
     * Replaces the shards after the empty topic was deleted and registered with another number of shards. Several
     * polls notice that; those that were replaced before must not drop their successors.
     */
    synchronized void registeredAnew(ListenerShard noticing) {
        if (!ending && shards.contains(noticing)) {
            log.info("Topic " + Printable.of(spec.topic()) + " was registered again: listener "
                    + Printable.of(spec.id()) + " reads its shards again");
            shards.forEach(ListenerShard::drop);
            shards = List.of();
            opening.schedule(context.tasks(), name + " opening");
        }
    }

    /** Claims messages unless the listener is paused, the circuit is open, or it waits because it fails alone. */
    synchronized void updateClaiming() {
        boolean open = circuit.isOpen() || failsAlone.waits();
        boolean probing = circuit.isHalfOpen() || failsAlone.probes();
        if (!open) {
            budget.probe(probing);
        }
        boolean claim = !ending
                && !paused.getAsBoolean()
                && context.membership().pauses().allow(spec.topic(), spec.id())
                && !open;
        setClaiming(claim, claim && !probing && !failsAlone.leavesShards());
        if (open) {
            budget.probe(false); // last: the shards must not claim more before they are paused
        }
    }

    private void setClaiming(boolean claim, boolean join) {
        boolean joins = join && !joined;
        boolean leaves = joined && !join;
        joined = join;
        if (joins) {
            shards.forEach(ListenerShard::join);
        }
        if (claiming != claim) {
            claiming = claim;
            shards.forEach(claim ? ListenerShard::resume : ListenerShard::pause);
        }
        if (leaves) {
            shards.forEach(ListenerShard::leave);
        }
    }

    private synchronized void circuitChanged() {
        updateClaiming();
        if (probes != null && circuit.isOpen()) {
            probes.wake();
        } else if (probes == null && !ending) {
            probes = context.tasks().schedule(name + " probes", circuit);
        }
    }

    private synchronized void failsAloneChanged() {
        updateClaiming();
        if (slowProbes != null) {
            slowProbes.wake();
        }
    }

    /** Ends the run; completes as {@link ManagedListener#stop()} states. Called once. */
    synchronized CompletableFuture<Void> stop() {
        ending = true;
        setClaiming(false, false);
        removePauseListener.run();
        opening.cancel();
        if (probes != null) {
            probes.cancel();
        }
        failsAlone.close();
        if (slowProbes != null) {
            slowProbes.cancel();
        }
        CompletableFuture<Void> drained =
                CompletableFuture.allOf(shards.stream().map(ListenerShard::end).toArray(CompletableFuture[]::new));
        drained.thenRun(() -> {
            context.runs().ended(this);
            Completions.on(context.handlers(), () -> ended.complete(null)); // a callback of a user may block
        });
        Duration drain = spec.options().drainTime();
        CompletableFuture<Void> waited = endedWithin(drain);
        doNotWaitForCallers(waited);
        // if all deliveries are settled by then, only a claim waits for its reply, and the stop ends without it
        endedWithin(context.closeWait()).thenRun(() -> {
            if (hasSettledAll()) {
                waited.complete(null);
            }
        });
        return waited.thenRun(() -> finishStop(drain));
    }

    private void doNotWaitForCallers(CompletableFuture<Void> stop) {
        int permits = workers.threads().inExit();
        boolean inIsolation = isolated.inExit() > 0;
        if (permits > 0 || inIsolation) {
            log.warn("A handler of listener " + Printable.of(spec.id()) + " called System.exit, which waits for the"
                    + " stop of the listener. The stop does not wait for this handler; its message is delivered again"
                    + " when its lease ends. Call System.exit on another thread to avoid this");
        } else if (workers.threads().containCurrent() || isolated.containCurrent()) {
            log.warn("A handler of listener " + Printable.of(spec.id()) + " stops its own listener, for example by"
                    + " closing the application. The stop does not wait for this handler; if the application ends,"
                    + " its message is delivered again. Stop it on another thread to avoid this");
            permits = workers.threads().containCurrent() ? 1 : 0;
            inIsolation = isolated.containCurrent();
        } else {
            return;
        }
        waitedFor = new WaitedFor(stop, permits, inIsolation);
        endIfOnlyCallersAreLeft();
    }

    private CompletableFuture<Void> endedWithin(Duration time) {
        return ended.copy()
                .orTimeout(time.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionallyAsync(timeout -> null, TIMED_OUT);
    }

    private boolean hasSettledAll() {
        return shards.stream().allMatch(shard -> shard.deliveries().hasSettledAll());
    }

    private void finishStop(Duration drain) {
        context.runs().stopped(this);
        int open = shards.stream().mapToInt(shard -> shard.deliveries().size()).sum();
        if (ended.isDone() && open > 0) {
            log.warn("Listener " + Printable.of(spec.id()) + " ended with the engine while " + open
                    + " of its deliveries were handled; they are delivered again when their leases end");
        } else if (ended.isDone()) {
            log.info("Listener " + Printable.of(spec.id()) + " has stopped");
        } else if (onlyCallersAreLeft()) {
            log.info("Listener " + Printable.of(spec.id()) + " has stopped, except for the handler that stopped it");
        } else if (hasSettledAll()) {
            log.info("Listener " + Printable.of(spec.id())
                    + " stopped before Redis replied to its last poll. Messages claimed by that poll"
                    + " return to the queue when Redis replies, at the latest when their leases end");
        } else {
            log.warn("Listener " + Printable.of(spec.id()) + " was stopped. Deliveries that are still handled after "
                    + DurationText.of(drain) + ": " + open
                    + ". They can be acknowledged until the engine stops");
        }
    }

    /** Called when the engine is closed and no task runs any more: fails open and later settlements. */
    void abandon() {
        shards.forEach(ListenerShard::abandon);
        ended.complete(null);
    }

    /** The handler that has been running longest; null if none is running. */
    @Nullable
    RunningHandler oldestHandler() {
        ClaimedDelivery oldest = oldestRunning();
        return oldest == null ? null : running(oldest);
    }

    /** The stack of that handler. */
    HandlerStack stack() {
        ClaimedDelivery oldest = oldestRunning();
        return oldest == null
                ? new HandlerStack(spec.id(), null, List.of())
                : new HandlerStack(spec.id(), running(oldest), oldest.stack(HandlerStack.MAX_FRAMES));
    }

    private @Nullable ClaimedDelivery oldestRunning() {
        long now = context.nanoTime().getAsLong();
        return shards.stream()
                .flatMap(shard -> Stream.ofNullable(shard.deliveries().oldestRunning()))
                .max(Comparator.comparingLong(delivery -> now - delivery.startedAt()))
                .orElse(null);
    }

    private RunningHandler running(ClaimedDelivery delivery) {
        return new RunningHandler(
                delivery.id(),
                delivery.attempt(),
                Duration.ofNanos(context.nanoTime().getAsLong() - delivery.startedAt()));
    }

    String id() {
        return spec.id();
    }

    /** Time since the start of the handler that was started last on a permit; zero if none is running. */
    Duration youngestHandler() {
        long now = context.nanoTime().getAsLong();
        return shards.stream()
                .flatMap(shard -> Stream.ofNullable(shard.deliveries().lastStart()))
                .map(startedAt -> Duration.ofNanos(now - startedAt))
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    /** What runs the handlers. Its {@code dispatch()} is called when deliveries wait, and again later if it throws. */
    Workers workers() {
        return workers;
    }

    Circuit circuit() {
        return circuit;
    }

    /** Whether the listener fails on this node alone, and claims slower. */
    boolean failsAlone() {
        return failsAlone.isAlone();
    }

    ListenerProgress progress() {
        List<ListenerShard> all = shards;
        if (!all.isEmpty()) {
            return ListenerProgress.of(all.stream().map(ListenerShard::progress).toList());
        }
        ListenerProgress opened = opening.progress(); // reading the shards is not a poll
        return new ListenerProgress(null, opened.failingFor(), opened.failure(), opened.overdueFor());
    }

    private List<ClaimedDelivery> nextBatch() {
        return Workers.batch(spec.options().batchSize(), this::next);
    }

    /** Takes from each shard in turn, so that no shard waits for another's backlog. */
    private @Nullable ClaimedDelivery next() {
        List<ListenerShard> all = shards;
        int first = all.size() == 1 ? 0 : turn.getAndIncrement();
        for (int i = 0; i < all.size(); i++) {
            ClaimedDelivery delivery =
                    all.get(Math.floorMod(first + i, all.size())).deliveries().next();
            if (delivery != null) {
                return delivery;
            }
        }
        return null;
    }

    /** Handles a suspect outside the permits. */
    void handleInIsolation(ClaimedDelivery suspect) {
        log.info("Message " + Printable.of(suspect.id()) + " of topic " + Printable.of(suspect.topic())
                + " is handled in isolation, because " + suspect.claim().crashes()
                + " of its leases ended without a settlement");
        isolated.enter();
        try {
            pipeline.handle(List.of(suspect));
        } finally {
            isolated.leave();
            endIfOnlyCallersAreLeft();
        }
    }

    private boolean onlyCallersAreLeft() {
        WaitedFor waited = waitedFor;
        return waited != null && workers.inUse() <= waited.permits && (waited.inIsolation || isolated.isEmpty());
    }

    /** Ends the stop that handlers of the listener wait for. */
    private void endIfOnlyCallersAreLeft() {
        WaitedFor waited = waitedFor;
        if (waited != null && onlyCallersAreLeft()) {
            waited.stop.complete(null);
        }
    }

    private void idle() {
        endIfOnlyCallersAreLeft();
        if (shards.stream().noneMatch(shard -> shard.deliveries().hasStartable())) {
            return;
        }
        try {
            workers.dispatch();
        } catch (RuntimeException | Error e) { // no thread: the tasks try again, and report failures
            shards.forEach(ListenerShard::workerMissing);
        }
    }
}
