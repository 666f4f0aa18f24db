package io.delayqueue.test.tasks;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Receives no signals. Wakes all pollers on request, so that a test does not depend on the arrival of signals. */
final class ManualSignals implements SignalSource {

    private final List<SignalListener> listeners = new CopyOnWriteArrayList<>();
    private volatile Runnable onChange = () -> {};

    @Override
    public Subscription listen(Shard shard, SignalListener listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public boolean confirmed() {
        return true;
    }

    @Override
    public void onChange(Runnable task) {
        onChange = task;
    }

    void wakeAll() {
        listeners.forEach(SignalListener::resubscribed);
        onChange.run();
    }
}
