package io.delayqueue.container;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource;

/**
 * A source of signals that loses each signal.
 *
 * @param confirmed whether the source reports that the node receives signals
 */
record SilentSignals(boolean confirmed) implements SignalSource {

    @Override
    public Subscription listen(Shard shard, SignalListener listener) {
        return () -> {};
    }
}
