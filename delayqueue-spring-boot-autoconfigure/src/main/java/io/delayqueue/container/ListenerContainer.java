package io.delayqueue.container;

import io.delayqueue.container.delivery.ClaimBudget;
import io.delayqueue.container.delivery.ClaimedDelivery;
import io.delayqueue.container.delivery.DeliveryPipeline;
import io.delayqueue.container.delivery.PrefetchPolicy;
import io.delayqueue.container.delivery.ShardPoller;
import io.delayqueue.coordination.StepScheduler.StepHandle;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Lane;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Runs one listener. Made by the {@link DelayQueueEngine}; can be started and stopped any number of times. */
public final class ListenerContainer implements ManagedListener {

    private static final Log log = LogFactory.getLog(ListenerContainer.class);

    private static final Duration ONCE = Duration.ofDays(365);

    private final ListenerSpec spec;
    private final ContainerSupport engine;
    private final AtomicInteger runs = new AtomicInteger();
    private final Object lock = new Object();
    private @Nullable Run run;
    private volatile boolean paused;

    ListenerContainer(ListenerSpec spec, ContainerSupport engine) {
        this.spec = spec;
        this.engine = engine;
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
    public Lane lane() {
        return spec.lane();
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
            reconsider();
        }
    }

    /** Called when one of the two reasons not to take deliveries has changed; running only if neither holds. */
    private void reconsider() {
        synchronized (lock) {
            if (run != null) {
                run.accept(takes());
            }
        }
    }

    private boolean takes() {
        return !paused && engine.membership().pauses().allow(topic());
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
        return engine.membership().pauses().include(topic());
    }

    /**
     * From a start to its stop, and until the last handler that outlives the stop has answered. How many shards the topic
     * has may not be known yet: then it begins to consume when Redis has said so.
     */
    private final class Run implements ContainerSupport.EngineRun {

        private final PrefetchPolicy prefetch = new PrefetchPolicy(spec.options());
        private final DeliveryPipeline pipeline = engine.pipeline(spec, prefetch);
        private final ShardPoller.Tools tools = engine.tools(spec, prefetch);
        private final Workers workers = new Workers(
                engine.handlers(), spec.options().concurrency(), this::nextBatch, pipeline::handle, this::idle);
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private final AtomicInteger turn = new AtomicInteger();
        private final AtomicInteger noisy = new AtomicInteger();
        private final String name = spec.id() + "#" + runs.incrementAndGet();
        private final StepWatch opening =
                new StepWatch(this::open, () -> false, engine.nanoTime(), engine.stepsByItself());
        private volatile List<ShardConsumer> consumers = List.of();
        private @Nullable StepHandle opener;
        private Runnable unwatch = () -> {};
        private boolean accepting;
        private boolean ending;

        void begin() {
            engine.running(this);
            log.info("Listener " + spec.id() + " starts on topic " + spec.topic() + (paused ? ", paused" : ""));
            unwatch = engine.membership().pauses().watch(ListenerContainer.this::reconsider);
            accepting = takes();
            opener = engine.steps().schedule(name + " opening", opening);
        }

        private Duration open() {
            List<Shard> shards = engine.shards(spec.topic());
            synchronized (lock) {
                if (consumers.isEmpty() && !ending) {
                    ClaimBudget budget = new ClaimBudget(
                            spec.options(), prefetch, tools.pace().linger());
                    consumers = shards.stream()
                            .map(shard -> consumer(shard, budget))
                            .toList();
                    if (accepting) {
                        consumers.forEach(ShardConsumer::accept);
                    }
                }
                if (opener != null) {
                    opener.cancel();
                }
            }
            return ONCE;
        }

        private ShardConsumer consumer(Shard messages, ClaimBudget budget) {
            Shard shard = spec.lane() == Lane.DEATHS ? messages.deaths() : messages;
            ShardPoller poller = new ShardPoller(
                    shard, engine.nextConsumer(), spec.options(), pipeline.judge(), tools, budget, workers::dispatch);
            String step = shard.count() == 1 ? name : name + " shard " + shard.index();
            return new ShardConsumer(step, shard, poller, engine, this::openAnew);
        }

        /** It was deleted, empty, and has come into being with another number of shards. */
        private void openAnew() {
            synchronized (lock) {
                if (!ending && !consumers.isEmpty()) {
                    log.info("Topic " + spec.topic() + " was registered anew: listener " + spec.id() + " follows");
                    consumers.forEach(ShardConsumer::drop);
                    consumers = List.of();
                    opener = engine.steps().schedule(name + " opening", opening);
                }
            }
        }

        void accept(boolean accept) {
            if (accepting != accept) {
                accepting = accept;
                consumers.forEach(accept ? ShardConsumer::accept : ShardConsumer::refuse);
            }
        }

        CompletableFuture<Void> end() {
            ending = true;
            accept(false);
            unwatch.run();
            if (opener != null) {
                opener.cancel();
            }
            List<ShardConsumer> last = consumers;
            noisy.set(last.size());
            last.forEach(consumer -> consumer.end(this::quiet));
            if (last.isEmpty()) {
                end(ended);
            }
            Duration drain = spec.options().drainTime();
            CompletableFuture<Void> waited =
                    ended.copy().completeOnTimeout(null, drain.toMillis(), TimeUnit.MILLISECONDS);
            CompletableFuture<Void> ignored = ended.copy()
                    .completeOnTimeout(null, DelayQueueEngine.CLOSE_WAIT.toMillis(), TimeUnit.MILLISECONDS)
                    .thenRun(() -> {
                        if (owesNothing()) {
                            waited.complete(null);
                        }
                    });
            return waited.thenRun(() -> tellStopped(drain));
        }

        private boolean owesNothing() {
            return consumers.stream().allMatch(consumer -> consumer.poller().owesNothing());
        }

        private void tellStopped(Duration drain) {
            engine.stopped(this);
            if (ended.isDone()) {
                log.info("Listener " + spec.id() + " has stopped");
            } else if (owesNothing()) {
                log.info(
                        "Listener " + spec.id() + " has stopped without an answer to its last step; if Redis took that,"
                                + " it is handed back when Redis answers before the engine stops, and else when its lease is over");
            } else {
                int open = consumers.stream()
                        .mapToInt(consumer -> consumer.poller().open())
                        .sum();
                log.warn("Listener " + spec.id() + " was stopped while " + open
                        + " of its deliveries were handled for longer than " + drain
                        + "; their answers still count if they come before the engine stops");
            }
        }

        private void quiet() {
            if (noisy.decrementAndGet() == 0) {
                end(ended);
            }
        }

        private void end(CompletableFuture<Void> future) {
            engine.ended(this);
            try {
                // what users hang on a stop may block, which a step must not
                engine.handlers().execute(() -> future.complete(null));
            } catch (RejectedExecutionException closing) {
                future.complete(null);
            }
        }

        @Override
        public void abandon() {
            consumers.forEach(consumer -> consumer.poller().abandon());
            ended.complete(null);
        }

        ListenerProgress progress() {
            List<ShardConsumer> all = consumers;
            return all.isEmpty()
                    ? opening.progress()
                    : ListenerProgress.of(
                            all.stream().map(ShardConsumer::progress).toList());
        }

        private List<ClaimedDelivery> nextBatch() {
            return Workers.batch(spec.options().batchSize(), this::next);
        }

        /** From each shard in turn, so that none waits for another's backlog. */
        private @Nullable ClaimedDelivery next() {
            List<ShardConsumer> all = consumers;
            int first = all.size() == 1 ? 0 : turn.getAndIncrement();
            for (int i = 0; i < all.size(); i++) {
                ClaimedDelivery delivery =
                        all.get(Math.floorMod(first + i, all.size())).poller().next();
                if (delivery != null) {
                    return delivery;
                }
            }
            return null;
        }

        private void idle() {
            if (consumers.stream().anyMatch(consumer -> consumer.poller().hasStartable())) {
                workers.dispatch();
            }
        }
    }
}
