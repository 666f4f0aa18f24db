package io.delayqueue.test.tasks;

import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** Receives no signals. Wakes all pollers on request, so that a test does not depend on the arrival of signals. */
final class ManualSignals implements SignalSource {

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private volatile Runnable onChange = () -> {};

    private record Listener(Shard shard, SignalListener signals) {}

    @Override
    public Subscription listen(Shard shard, SignalListener signals) {
        Listener listener = new Listener(shard, signals);
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
        listeners.forEach(listener -> listener.signals().resubscribed());
        onChange.run();
    }

    /** The shards of messages that have pollers. */
    Set<Shard> shards() {
        return listeners.stream()
                .map(Listener::shard)
                .filter(shard -> shard.kind() == QueueKind.MESSAGES)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** The pollers of a shard. */
    List<SignalListener> pollers(Shard shard) {
        return listeners.stream()
                .filter(listener -> listener.shard().equals(shard))
                .map(Listener::signals)
                .toList();
    }
}
