package io.delayqueue.benchmark.contender;

import java.util.List;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@link DelayQueue}, which works within one process without persistence. */
final class JavaContender implements Contender {

    private final DelayQueue<Entry> queue = new DelayQueue<>();
    private final int concurrency;
    private final TakingThreads takers = new TakingThreads();

    private record Entry(String payload, long dueMillis) implements Delayed {

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(dueMillis - System.currentTimeMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(dueMillis, ((Entry) other).dueMillis);
        }
    }

    JavaContender(int concurrency) {
        this.concurrency = concurrency;
    }

    @Override
    public void send(Item item) {
        queue.add(new Entry(item.payload(), item.dueAt().toEpochMilli()));
    }

    @Override
    public void sendAll(List<Item> items) {
        items.forEach(this::send);
    }

    @Override
    public void discard() {
        queue.clear();
    }

    @Override
    public void consume(Consumer<String> handler) {
        takers.start(concurrency, this::take, handler);
    }

    private @Nullable String take() throws InterruptedException {
        // short, because a warm-up stops the threads hundreds of times
        Entry entry = queue.poll(10, TimeUnit.MILLISECONDS);
        return entry == null ? null : entry.payload();
    }

    @Override
    public long settled() {
        return takers.taken();
    }

    @Override
    public void stop() {
        takers.stop();
    }

    @Override
    public void watch(int topics) {
        throw new UnsupportedOperationException("The queue has no server");
    }

    @Override
    public void close() {
        stop();
    }
}
