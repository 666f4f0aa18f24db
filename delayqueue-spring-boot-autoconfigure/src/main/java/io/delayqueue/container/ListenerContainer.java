package io.delayqueue.container;

import io.delayqueue.container.delivery.DeliveryPipeline;
import io.delayqueue.container.delivery.PrefetchPolicy;
import io.delayqueue.container.delivery.ShardPoller;
import io.delayqueue.container.delivery.Workers;
import io.delayqueue.coordination.Seat;
import io.delayqueue.coordination.StepScheduler.StepHandle;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Lane;
import io.delayqueue.redis.SignalSource.Subscription;
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
            return run == null ? ListenerProgress.NONE : run.watch.progress();
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

    /** From a start to its stop, and until the last handler that outlives the stop has answered. */
    private final class Run implements ContainerSupport.EngineRun {

        private final ShardPoller poller;
        private final StepWatch watch;
        private final Workers workers;
        private final DeliveryPipeline pipeline;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private final Shard shard;
        private @Nullable Subscription subscription;
        private @Nullable StepHandle handle;
        private @Nullable Seat seat;
        private List<Runnable> departures = List.of();
        private boolean accepting;

        Run() {
            PrefetchPolicy prefetch = new PrefetchPolicy(spec.options());
            List<Shard> shards = engine.shards(spec.topic());
            this.shard = spec.lane() == Lane.DEATHS ? shards.get(0).deaths() : shards.get(0);
            this.pipeline = engine.pipeline(spec, prefetch);
            ShardPoller.Tools tools = engine.tools(spec, prefetch);
            this.poller = new ShardPoller(
                    shard, engine.nextConsumer(), spec.options(), pipeline.judge(), tools, this::dispatch);
            this.watch = new StepWatch(poller, tools.nanoTime(), engine.stepsByItself());
            this.workers = new Workers(
                    engine.handlers(),
                    spec.options().concurrency(),
                    () -> Workers.batch(spec.options().batchSize(), poller::next),
                    batch -> pipeline.handle(batch, poller::latenessNanos),
                    this::idle);
        }

        void begin() {
            engine.running(this);
            log.info("Listener " + spec.id() + " starts on topic " + spec.topic() + (paused ? ", paused" : ""));
            departures = List.of(
                    engine.membership().attend(shard),
                    engine.membership().pauses().watch(ListenerContainer.this::reconsider));
            accept(takes());
            subscription = engine.signals().listen(shard, poller.lookout());
            StepHandle started = engine.steps().schedule(spec.id() + "#" + runs.incrementAndGet(), watch);
            handle = started;
            poller.attach(started);
        }

        void accept(boolean accept) {
            if (accepting != accept) {
                accepting = accept;
                if (accept) {
                    Seat taken = engine.membership().join(shard, poller.lookout()::look);
                    seat = taken;
                    poller.accept(taken);
                } else {
                    poller.refuse();
                    if (seat != null) {
                        seat.leave();
                    }
                }
            }
        }

        CompletableFuture<Void> end() {
            accept(false);
            departures.forEach(Runnable::run);
            if (subscription != null) {
                subscription.close();
            }
            Duration drain = spec.options().drainTime();
            poller.whenQuiet(this::quiet);
            CompletableFuture<Void> waited =
                    ended.copy().completeOnTimeout(null, drain.toMillis(), TimeUnit.MILLISECONDS);
            CompletableFuture<Void> ignored = ended.copy()
                    .completeOnTimeout(null, DelayQueueEngine.CLOSE_WAIT.toMillis(), TimeUnit.MILLISECONDS)
                    .thenRun(() -> {
                        if (poller.owesNothing()) {
                            waited.complete(null);
                        }
                    });
            return waited.thenRun(() -> tellStopped(drain));
        }

        private void tellStopped(Duration drain) {
            engine.stopped(this);
            if (ended.isDone()) {
                log.info("Listener " + spec.id() + " has stopped");
            } else if (poller.owesNothing()) {
                log.info(
                        "Listener " + spec.id() + " has stopped without an answer to its last step; if Redis took that,"
                                + " it is handed back when Redis answers before the engine stops, and else when its lease is over");
            } else {
                log.warn("Listener " + spec.id() + " was stopped while " + poller.open()
                        + " of its deliveries were handled for longer than " + drain
                        + "; their answers still count if they come before the engine stops");
            }
        }

        private void quiet() {
            if (handle != null) {
                handle.cancel();
            }
            engine.ended(this);
            try {
                // what users hang on a stop may block, which a step must not
                engine.handlers().execute(() -> ended.complete(null));
            } catch (RejectedExecutionException closing) {
                ended.complete(null);
            }
        }

        @Override
        public void abandon() {
            poller.abandon();
            ended.complete(null);
        }

        private void dispatch() {
            workers.dispatch();
        }

        private void idle() {
            if (poller.hasStartable()) {
                workers.dispatch();
            }
        }
    }
}
