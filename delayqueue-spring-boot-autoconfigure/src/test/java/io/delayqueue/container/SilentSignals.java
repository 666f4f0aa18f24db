package io.delayqueue.container;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource;

/** Signals of which each gets lost. */
final class SilentSignals implements SignalSource {

    @Override
    public Subscription listen(Shard shard, SignalListener listener) {
        return () -> {};
    }

    @Override
    public boolean confirmed() {
        return false;
    }
}
