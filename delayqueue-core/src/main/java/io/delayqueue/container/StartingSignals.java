package io.delayqueue.container;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource;
import java.util.function.Consumer;

/**
 * Starts the subscription for signals on first use. Requests a heartbeat after a (re)subscription, because its canary
 * confirms the signals, and after a change of the nodes, because its reply contains the new shard assignment.
 */
final class StartingSignals implements SignalSource {

    private final SignalSource signals;
    private final Runnable start;
    private final Consumer<Shard> consumed;
    private final Runnable beat;

    StartingSignals(SignalSource signals, Runnable start, Consumer<Shard> consumed, Runnable beat) {
        this.signals = signals;
        this.start = start;
        this.consumed = consumed;
        this.beat = beat;
    }

    @Override
    public Subscription listen(Shard shard, SignalListener listener) {
        Subscription subscription = signals.listen(shard, new Forwarding(listener));
        consumed.accept(shard);
        start.run();
        return subscription;
    }

    @Override
    public Subscription await(Shard shard, SignalListener listener) {
        Subscription subscription = signals.await(shard, new Forwarding(listener));
        start.run();
        return subscription;
    }

    @Override
    public boolean confirmed() {
        return signals.confirmed();
    }

    private final class Forwarding implements SignalListener {

        private final SignalListener listener;

        Forwarding(SignalListener listener) {
            this.listener = listener;
        }

        @Override
        public void headAt(long dueMillis) {
            listener.headAt(dueMillis);
        }

        @Override
        public void surplus(String consumer) {
            listener.surplus(consumer);
        }

        @Override
        public void retired(String id) {
            listener.retired(id);
        }

        @Override
        public void membersChanged() {
            listener.membersChanged();
            beat.run();
        }

        @Override
        public void resubscribed() {
            listener.resubscribed();
            beat.run();
        }
    }
}
