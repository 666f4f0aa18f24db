package io.delayqueue.container;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource;
import java.util.function.Consumer;

/**
 * Signals whose subscription begins when it is first needed. A heartbeat follows at once when they can be heard, to
 * confirm them by its canary, and when other nodes came or went, to hear who watches now.
 */
final class StartingSignals implements SignalSource {

    private final SignalSource signals;
    private final Consumer<Shard> start;
    private final Runnable beat;

    StartingSignals(SignalSource signals, Consumer<Shard> start, Runnable beat) {
        this.signals = signals;
        this.start = start;
        this.beat = beat;
    }

    @Override
    public Subscription listen(Shard shard, SignalListener listener) {
        Subscription subscription = signals.listen(shard, new Hearing(listener));
        start.accept(shard);
        return subscription;
    }

    @Override
    public boolean confirmed() {
        return signals.confirmed();
    }

    private final class Hearing implements SignalListener {

        private final SignalListener listener;

        Hearing(SignalListener listener) {
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
