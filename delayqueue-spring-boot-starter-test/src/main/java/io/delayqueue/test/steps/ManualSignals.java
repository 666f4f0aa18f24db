package io.delayqueue.test.steps;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Hears nothing, and has everybody look when it is told to, so that nothing depends on when a signal arrives. */
final class ManualSignals implements SignalSource {

    private final List<SignalListener> listeners = new CopyOnWriteArrayList<>();

    @Override
    public Subscription listen(Shard shard, SignalListener listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public boolean confirmed() {
        return true;
    }

    void lookEverywhere() {
        listeners.forEach(SignalListener::resubscribed);
    }
}
