package io.delayqueue.container;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource;

/**
 * Signals of which each gets lost.
 *
 * @param confirmed whether the node believes that it hears them
 */
record SilentSignals(boolean confirmed) implements SignalSource {

    @Override
    public Subscription listen(Shard shard, SignalListener listener) {
        return () -> {};
    }
}
