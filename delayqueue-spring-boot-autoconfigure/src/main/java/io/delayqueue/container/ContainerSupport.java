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

/** What the engine lends to its containers. */
interface ContainerSupport {

    List<Shard> shards(String topic);

    DeliveryPipeline pipeline(ListenerSpec spec, PrefetchPolicy prefetch);

    ShardPoller.Tools tools(ListenerSpec spec, PrefetchPolicy prefetch);

    /** A consumer's name, unique among all consumers ever. */
    String nextConsumer();

    Executor handlers();

    SignalSource signals();

    Membership membership();

    StepScheduler steps();

    /** A container runs: the process is kept alive. */
    void running(Object run);

    /** It has stopped. */
    void stopped(Object run);
}
