package io.delayqueue.compatibility.migration;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RFuture;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** An application with Redisson's delayed queue, in this JVM, with Redisson's default codec. */
@SuppressWarnings("deprecation")
final class RedissonQueue implements OldQueue {

    private final RedissonClient client;
    private final RBlockingQueue<Order> ready;
    private final RDelayedQueue<Order> delayed;
    private final List<Handled> handled = new CopyOnWriteArrayList<>();
    private final @Nullable Thread consumer;
    private volatile boolean closed;

    RedissonQueue(int port, boolean consuming) {
        client = client(port);
        ready = client.getBlockingQueue(NAME);
        delayed = client.getDelayedQueue(ready);
        consumer = consuming ? new Thread(this::consume, "redisson-consumer") : null;
        if (consumer != null) {
            consumer.start();
        }
    }

    static RedissonClient client(int port) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
        return Redisson.create(config);
    }

    private void consume() {
        while (!closed) {
            try {
                Order order = ready.poll(100, TimeUnit.MILLISECONDS);
                if (order != null) {
                    handled.add(new Handled(order.number, System.currentTimeMillis()));
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    @Override
    public void store(Map<String, Long> dueTimes) {
        List<RFuture<Void>> stored = new ArrayList<>();
        dueTimes.forEach((number, due) -> stored.add(delayed.offerAsync(
                new Order(number), Math.max(0, due - System.currentTimeMillis() + 1), TimeUnit.MILLISECONDS)));
        stored.forEach(one -> one.toCompletableFuture().join());
    }

    @Override
    public List<Handled> handled() {
        return handled;
    }

    @Override
    public List<Long> laterThan(long millis) {
        List<Long> later = new ArrayList<>();
        client.getScoredSortedSet("redisson_delay_queue_timeout:{" + NAME + "}", StringCodec.INSTANCE)
                .entryRange(millis, true, Double.MAX_VALUE, true)
                .forEach(entry -> later.add(entry.getScore().longValue()));
        return later;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (consumer != null) {
                consumer.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        delayed.destroy();
        client.shutdown();
    }

    /** A payload. */
    public static final class Order {

        /** Its number. */
        public String number = "";

        /** Created by Redisson's codec. */
        public Order() {}

        Order(String number) {
            this.number = number;
        }
    }
}
