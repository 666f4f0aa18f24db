package io.delayqueue.container;

import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.coordination.RedisTask;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatus.RunningHandler;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.listener.ListenerStatus.Unavailable;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.Completions;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.Printable;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Runs one listener. Can be started and stopped any number of times. Thread-safe. */
final class ListenerContainer implements ManagedListener {

    private static final Log log = LogFactory.getLog(ListenerContainer.class);

    private final ListenerSpec spec;
    private final PollerContext context;
    private final TopicRegistry registry;
    private final PayloadCodec converter;
    private final List<DeliveryInterceptor> interceptors;
    private final ListenerRuns runs;
    private final Duration closeWait;
    private final AttemptLog attempts;
    private final AtomicInteger starts = new AtomicInteger();
    private final Object lock = new Object();
    private @Nullable Run run;
    private volatile boolean paused;

    /**
     * Creates a container, which is not started.
     *
     * @param registry provides the shards of the topic
     * @param runs the listeners of the engine and their runs
     * @param closeWait maximum wait for Redis on a stop after all deliveries are settled in Redis
     */
    ListenerContainer(
            ListenerSpec spec,
            PollerContext context,
            TopicRegistry registry,
            PayloadCodec converter,
            List<DeliveryInterceptor> interceptors,
            ListenerRuns runs,
            Duration closeWait) {
        this.spec = spec;
        this.context = context;
        this.registry = registry;
        this.converter = converter;
        this.interceptors = interceptors;
        this.runs = runs;
        this.closeWait = closeWait;
        this.attempts = new AttemptLog(spec, context.nanoTime());
    }

    @Override
    public String id() {
        return spec.id();
    }

    @Override
    public String topic() {
        return spec.topic();
    }

    @Override
    public QueueKind kind() {
        return spec.kind();
    }

    @Override
    public ListenerOptions options() {
        return spec.options();
    }

    @Override
    public int inUse() {
        synchronized (lock) {
            return run == null ? 0 : run.workers.inUse();
        }
    }

    @Override
    public ListenerStatus status() {
        Attempts lastMinute = attempts.lastMinute();
        synchronized (lock) {
            Unavailable unavailable = run == null || paused ? null : run.circuit.unavailable();
            State started = unavailable == null ? State.RUNNING : State.UNAVAILABLE;
            return new ListenerStatus(
                    spec.id(),
                    spec.topic(),
                    spec.kind(),
                    run == null ? State.STOPPED : paused ? State.PAUSED : started,
                    run == null ? 0 : run.workers.running(),
                    spec.options().concurrency(),
                    unavailable,
                    run == null ? null : run.oldestHandler(),
                    lastMinute);
        }
    }

    @Override
    public void start() {
        synchronized (lock) {
            if (run == null) {
                Run started = new Run();
                started.begin();
                run = started;
            }
        }
    }

    @Override
    public void remove() {
        runs.remove(this);
    }

    @Override
    public CompletableFuture<Void> stop() {
        synchronized (lock) {
            if (run == null) {
                return CompletableFuture.completedFuture(null);
            }
            Run stopping = run;
            run = null;
            return stopping.end();
        }
    }

    @Override
    public void pause() {
        pause(true);
    }

    @Override
    public void resume() {
        pause(false);
    }

    private void pause(boolean pause) {
        synchronized (lock) {
            paused = pause;
            applyPauses();
        }
    }

    /** Applies the pauses of this listener and of its topic. */
    private void applyPauses() {
        synchronized (lock) {
            if (run != null) {
                run.setClaiming();
            }
        }
    }

    @Override
    public boolean isRunning() {
        synchronized (lock) {
            return run != null;
        }
    }

    @Override
    public ListenerProgress progress() {
        synchronized (lock) {
            return run == null ? ListenerProgress.NONE : run.progress();
        }
    }

    @Override
    public boolean isPaused() {
        return paused;
    }

    @Override
    public boolean isPausedEverywhere() {
        return context.membership().pauses().include(topic());
    }

    /**
     * One run, from start to stop. It consumes as soon as Redis has replied with the topic's number of shards. After a
     * stop it remains until all open deliveries are settled.
     */
    private final class Run implements ListenerRuns.Run, ListenerShard.Consumer {

        private final ClaimBudget budget =
                new ClaimBudget(spec.options(), context.settings().linger());
        private final Circuit circuit = new Circuit(
                "listener " + Printable.of(spec.id()) + " of topic " + Printable.of(spec.topic()),
                context.nanoTime(),
                this::circuitChanged);
        private final DeliveryPipeline pipeline = new DeliveryPipeline(
                spec, converter, interceptors, context.events(), context.nanoTime(), budget, circuit);
        private final Workers workers = new Workers(
                context.handlers(), spec.options().concurrency(), this::nextBatch, pipeline::handle, this::idle);
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private final AtomicInteger turn = new AtomicInteger();
        private final String name = spec.id() + "#" + starts.incrementAndGet();
        private final RedisTask opening = new Opening();
        private volatile List<ListenerShard> shards = List.of();
        private Runnable removePauseListener = () -> {};
        private @Nullable TaskHandle probes;
        private boolean claiming;
        private boolean ending;
        /** The thread of a handler that runs in isolation, without a permit. */
        private final HandlerThreads isolated = new HandlerThreads();
        /** The stop that handlers wait for; null if there is none. */
        private volatile @Nullable WaitedFor waitedFor;

        /**
         * A stop for which handlers of the listener wait, because they close the application or end the JVM.
         *
         * @param stop ends when only these handlers are left
         * @param permits the permits that they have; none in isolation
         * @param inIsolation whether the handler in isolation is one of them
         */
        private record WaitedFor(CompletableFuture<Void> stop, int permits, boolean inIsolation) {}

        void begin() {
            runs.begin(ListenerContainer.this, this);
            log.info("Listener " + Printable.of(spec.id()) + " starts on topic " + Printable.of(spec.topic())
                    + (paused ? ", paused" : ""));
            removePauseListener = context.membership().pauses().onChange(ListenerContainer.this::applyPauses);
            setClaiming();
            opening.schedule(context.tasks(), name + " opening");
        }

        /** Reads the topic's shards and starts to poll them. */
        private final class Opening extends RedisTask {

            Opening() {
                super(context.nanoTime());
            }

            @Override
            protected Duration roundTrip() {
                List<Shard> registered = reply(() -> registry.shards(spec.topic()));
                if (registered == null) {
                    return UNTIL_REPLIED;
                }
                synchronized (lock) { // held while the task is scheduled, so cancel() finds its handle
                    if (shards.isEmpty() && !ending) {
                        shards = registered.stream().map(Run.this::listened).toList();
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
            ListenerShard listened = new ListenerShard(context, spec, shard, budget, attempts, this);
            listened.start(shard.count() == 1 ? name : name + " shard " + shard.index());
            return listened;
        }

        /**
         * Replaces the shards after the empty topic was deleted and registered with another number of shards. Several
         * polls notice that; those that were replaced before must not drop their successors.
         */
        @Override
        public void registeredAnew(ListenerShard noticing) {
            synchronized (lock) {
                if (!ending && shards.contains(noticing)) {
                    log.info("Topic " + Printable.of(spec.topic()) + " was registered again: listener "
                            + Printable.of(spec.id()) + " reads its shards again");
                    shards.forEach(ListenerShard::drop);
                    shards = List.of();
                    opening.schedule(context.tasks(), name + " opening");
                }
            }
        }

        /** Claims messages unless the listener or its topic is paused, or the circuit is open. */
        private void setClaiming() {
            boolean open = circuit.isOpen();
            if (!open) {
                budget.probe(circuit.isHalfOpen());
            }
            setClaiming(!ending && !paused && context.membership().pauses().allow(topic()) && !open);
            if (open) {
                budget.probe(false); // last: the shards must not claim more before they are paused
            }
        }

        private void setClaiming(boolean claim) {
            if (claiming != claim) {
                claiming = claim;
                shards.forEach(claim ? ListenerShard::resume : ListenerShard::pause);
            }
        }

        private void circuitChanged() {
            synchronized (lock) {
                setClaiming();
                if (probes != null && circuit.isOpen()) {
                    probes.wake();
                } else if (probes == null && !ending) {
                    probes = context.tasks().schedule(name + " probes", circuit);
                }
            }
        }

        CompletableFuture<Void> end() {
            ending = true;
            setClaiming(false);
            removePauseListener.run();
            opening.cancel();
            if (probes != null) {
                probes.cancel();
            }
            CompletableFuture<Void> drained = CompletableFuture.allOf(
                    shards.stream().map(ListenerShard::end).toArray(CompletableFuture[]::new));
            drained.thenRun(() -> {
                runs.ended(this);
                Completions.on(context.handlers(), () -> ended.complete(null)); // a callback of a user may block
            });
            Duration drain = spec.options().drainTime();
            CompletableFuture<Void> waited = endedWithin(drain);
            doNotWaitForCallers(waited);
            // if all deliveries are settled by then, only a claim waits for its reply, and the stop ends without it
            endedWithin(closeWait).thenRun(() -> {
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
            CompletableFuture<Void> copy = ended.copy();
            try {
                return copy.completeOnTimeout(null, time.toMillis(), TimeUnit.MILLISECONDS);
            } catch (RuntimeException | Error e) { // the JVM's timer has no thread: then there is no timeout
                return copy;
            }
        }

        private boolean hasSettledAll() {
            return shards.stream().allMatch(shard -> shard.deliveries().hasSettledAll());
        }

        private void finishStop(Duration drain) {
            runs.stopped(this);
            int open =
                    shards.stream().mapToInt(shard -> shard.deliveries().size()).sum();
            if (ended.isDone() && open > 0) {
                log.warn("Listener " + Printable.of(spec.id()) + " ended with the engine while " + open
                        + " of its deliveries were handled; they are delivered again when their leases end");
            } else if (ended.isDone()) {
                log.info("Listener " + Printable.of(spec.id()) + " has stopped");
            } else if (onlyCallersAreLeft()) {
                log.info(
                        "Listener " + Printable.of(spec.id()) + " has stopped, except for the handler that stopped it");
            } else if (hasSettledAll()) {
                log.info("Listener " + Printable.of(spec.id())
                        + " stopped before Redis replied to its last poll. Messages claimed by that poll"
                        + " return to the queue when Redis replies, at the latest when their leases end");
            } else {
                log.warn("Listener " + Printable.of(spec.id()) + " was stopped while " + open
                        + " of its deliveries were still handled after " + DurationText.of(drain)
                        + "; they can still be acknowledged until the engine stops");
            }
        }

        @Override
        public void abandon() {
            shards.forEach(ListenerShard::abandon);
            ended.complete(null);
        }

        private @Nullable RunningHandler oldestHandler() {
            long now = context.nanoTime().getAsLong();
            return shards.stream()
                    .flatMap(poller -> Stream.ofNullable(poller.deliveries().oldestRunning()))
                    .map(delivery -> new RunningHandler(
                            delivery.id(), delivery.attempt(), Duration.ofNanos(now - delivery.startedAt())))
                    .max(Comparator.comparing(RunningHandler::time))
                    .orElse(null);
        }

        ListenerProgress progress() {
            List<ListenerShard> all = shards;
            if (!all.isEmpty()) {
                return ListenerProgress.of(
                        all.stream().map(ListenerShard::progress).toList());
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
                ClaimedDelivery delivery = all.get(Math.floorMod(first + i, all.size()))
                        .deliveries()
                        .next();
                if (delivery != null) {
                    return delivery;
                }
            }
            return null;
        }

        @Override
        public void dispatch() {
            workers.dispatch();
        }

        @Override
        public void handleInIsolation(ClaimedDelivery suspect) {
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
}
