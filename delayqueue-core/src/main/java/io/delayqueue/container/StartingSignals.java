package io.delayqueue.container;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource;
import java.util.function.Consumer;

/** Starts the subscription for signals on first use. */
final class StartingSignals implements SignalSource {

    private final SignalSource signals;
    private final Runnable start;
    private final Consumer<Shard> consumed;

    StartingSignals(SignalSource signals, Runnable start, Consumer<Shard> consumed) {
        this.signals = signals;
        this.start = start;
        this.consumed = consumed;
    }

    @Override
    public Subscription listen(Shard shard, SignalListener listener) {
        Subscription subscription = signals.listen(shard, listener);
        consumed.accept(shard);
        start.run();
        return subscription;
    }

    @Override
    public Subscription await(Shard shard, SignalListener listener) {
        Subscription subscription = signals.await(shard, listener);
        start.run();
        return subscription;
    }

    @Override
    public boolean confirmed() {
        return signals.confirmed();
    }
}
