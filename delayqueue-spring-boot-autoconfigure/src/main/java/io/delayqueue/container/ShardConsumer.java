package io.delayqueue.container;

import io.delayqueue.container.delivery.ShardPoller;
import io.delayqueue.coordination.Seat;
import io.delayqueue.coordination.Step;
import io.delayqueue.coordination.StepScheduler.StepHandle;
import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource.Subscription;
import io.delayqueue.store.TopicRegisteredAnewException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A running listener's part in one shard: what polls, its place among the shard's consumers, and what it hears. */
final class ShardConsumer {

    private final Shard shard;
    private final ShardPoller poller;
    private final ContainerSupport engine;
    private final StepWatch watch;
    private final Runnable departure;
    private final Subscription subscription;
    private final StepHandle handle;
    private final AtomicBoolean quiet = new AtomicBoolean();
    private @Nullable Seat seat;

    /**
     * Begins to hear signals and to be stepped; takes nothing before {@link #accept()}.
     *
     * @param name of the step, for the log
     * @param onRegisteredAnew called when the topic has another number of shards by now
     */
    ShardConsumer(String name, Shard shard, ShardPoller poller, ContainerSupport engine, Runnable onRegisteredAnew) {
        this.shard = shard;
        this.poller = poller;
        this.engine = engine;
        Step step = () -> {
            try {
                return poller.step();
            } catch (TopicRegisteredAnewException e) {
                onRegisteredAnew.run();
                throw e;
            }
        };
        this.watch = new StepWatch(step, poller::isUnanswered, engine.nanoTime(), engine.stepsByItself());
        this.departure = engine.membership().attend(shard);
        this.subscription = engine.signals().listen(shard, poller.lookout());
        this.handle = engine.steps().schedule(name, watch);
        poller.attach(handle);
    }

    ShardPoller poller() {
        return poller;
    }

    ListenerProgress progress() {
        return watch.progress();
    }

    void accept() {
        Seat taken = engine.membership().join(shard, poller.lookout()::look);
        seat = taken;
        poller.accept(taken);
    }

    void refuse() {
        poller.refuse();
        if (seat != null) {
            seat.leave();
        }
    }

    /** Takes part no more, at once: there is nobody who would take an answer. */
    void drop() {
        departure.run();
        subscription.close();
        handle.cancel();
        if (seat != null) {
            seat.leave();
        }
        poller.abandon();
    }

    /**
     * Takes part no more; it refuses already.
     *
     * @param onQuiet called once, when nothing is open and every answer has arrived
     */
    void end(Runnable onQuiet) {
        departure.run();
        subscription.close();
        poller.whenQuiet(() -> {
            if (quiet.compareAndSet(false, true)) {
                handle.cancel();
                onQuiet.run();
            }
        });
    }
}
