package io.delayqueue.container;

import io.delayqueue.container.delivery.DeliveryPipeline;
import io.delayqueue.container.delivery.PrefetchPolicy;
import io.delayqueue.container.delivery.ShardPoller;
import io.delayqueue.coordination.Membership;
import io.delayqueue.coordination.StepScheduler;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/** What the engine lends to its containers. */
interface ContainerSupport {

    /**
     * A topic's shards.
     *
     * @throws io.delayqueue.redis.RedisCallException if they are not known yet and Redis doesn't answer
     */
    List<Shard> shards(String topic);

    /** The monotonic clock. */
    LongSupplier nanoTime();

    DeliveryPipeline pipeline(ListenerSpec spec, PrefetchPolicy prefetch);

    ShardPoller.Tools tools(ListenerSpec spec, PrefetchPolicy prefetch);

    /** A consumer's name, unique among all consumers ever. */
    String nextConsumer();

    Executor handlers();

    SignalSource signals();

    Membership membership();

    StepScheduler steps();

    /** Whether steps are called when they are due, not when somebody has a mind to. */
    boolean stepsByItself();

    /**
     * A container runs: the process is kept alive, and it is told when the engine is closed.
     *
     * @throws IllegalStateException if the engine was closed
     */
    void running(EngineRun run);

    /** It has stopped, as far as it was waited for: the process needn't be kept alive for it. */
    void stopped(EngineRun run);

    /** Its last answer has arrived. */
    void ended(EngineRun run);

    /** From a container's start until its last answer has arrived. */
    interface EngineRun {

        /** The engine was closed: no step follows. */
        void abandon();
    }
}
