package io.delayqueue.benchmark.contender;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * Redisson's delayed queue with a blocking queue as its destination and a string codec. It has no acknowledgements: a
 * message that a consumer has taken is lost if the consumer fails. The class is deprecated, but Redisson has no other
 * free queue that delays messages.
 */
@SuppressWarnings("deprecation")
final class RedissonContender implements Contender {

    /** The script that moves due messages searches linearly and may block Redis for seconds. */
    private static final int TIMEOUT_MILLIS = 60_000;

    private static final String QUEUE = "bench";

    private final RedissonClient client;
    private final RBlockingQueue<String> ready;
    private final RDelayedQueue<String> delayed;
    private final int concurrency;
    private final boolean polling;
    private final TakingThreads takers = new TakingThreads();

    RedissonContender(int port, int concurrency, boolean polling) {
        this.concurrency = concurrency;
        this.polling = polling;
        Config config = new Config();
        config.setCodec(StringCodec.INSTANCE);
        config.useSingleServer().setAddress("redis://127.0.0.1:" + port).setTimeout(TIMEOUT_MILLIS);
        client = Redisson.create(config);
        ready = client.getBlockingQueue(QUEUE);
        delayed = client.getDelayedQueue(ready);
    }

    @Override
    public void send(Item item) {
        delayed.offer(item.payload(), delayUntil(item.dueAt()), TimeUnit.MILLISECONDS);
    }

    /** There is no batch method: all messages are sent asynchronously and then awaited. */
    @Override
    public void sendAll(List<Item> items) {
        CompletableFuture<?>[] sent = items.stream().map(this::sendAsync).toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(sent).join();
    }

    @Override
    public CompletableFuture<?> sendAsync(Item item) {
        return delayed.offerAsync(item.payload(), delayUntil(item.dueAt()), TimeUnit.MILLISECONDS)
                .toCompletableFuture();
    }

    private static long delayUntil(Instant dueAt) {
        return Math.max(0, Duration.between(Instant.now(), dueAt).toMillis());
    }

    @Override
    public void consume(Consumer<String> handler) {
        takers.start(concurrency, () -> poll(ready), handler);
    }

    private static @Nullable String poll(RBlockingQueue<String> queue) throws InterruptedException {
        return queue.poll(TakingThreads.WAIT_SECONDS, TimeUnit.SECONDS);
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
        for (int i = 0; i < topics; i++) {
            RBlockingQueue<String> queue = client.getBlockingQueue("idle-" + i);
            client.getDelayedQueue(queue);
            new TakingThreads().start(1, polling ? () -> poll(queue) : queue::take, message -> {});
        }
    }

    @Override
    public void close() {
        stop();
        delayed.destroy();
        client.shutdown();
    }
}
