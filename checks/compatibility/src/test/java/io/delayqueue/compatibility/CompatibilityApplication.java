package io.delayqueue.compatibility;

import io.delayqueue.annotation.DeadLetterListener;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DeadLetter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** An application that uses the whole queue. No sweep finds a message within the time that a test waits. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(CompatibilityApplication.Handlers.class)
class CompatibilityApplication {

    static final boolean VIRTUAL_THREADS = Runtime.version().feature() >= 21;

    static ConfigurableApplicationContext start(RunningRedis redis, Map<String, String> more) {
        return start(CompatibilityApplication.class, redis, more);
    }

    static ConfigurableApplicationContext start(Class<?> application, RunningRedis redis, Map<String, String> more) {
        Map<String, String> properties = new LinkedHashMap<>(Map.of(
                "spring.threads.virtual.enabled", Boolean.toString(VIRTUAL_THREADS),
                "delayqueue.engine.sweep", "1m",
                "delayqueue.engine.unconfirmed-sweep", "1m",
                "delayqueue.topics[sharded].shards", "4",
                "delayqueue.topics[ordered].keys", "ordered",
                "delayqueue.topics[fair].keys", "fair"));
        properties.putAll(redis.properties());
        properties.putAll(more);
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .run(properties.entrySet().stream()
                        .map(property -> "--" + property.getKey() + "=" + property.getValue())
                        .toArray(String[]::new));
    }

    record Order(String number) {}

    record Handled(String id, String number, int attempt, long lateMillis, boolean virtual) {}

    /** What the listeners were called with. */
    static class Handlers {

        final BlockingQueue<Handled> orders = new LinkedBlockingQueue<>();
        final BlockingQueue<Handled> failed = new LinkedBlockingQueue<>();
        final BlockingQueue<Handled> sharded = new LinkedBlockingQueue<>();
        final BlockingQueue<Handled> pausable = new LinkedBlockingQueue<>();
        final BlockingQueue<String> batches = new LinkedBlockingQueue<>();
        final BlockingQueue<DeadLetter> dead = new LinkedBlockingQueue<>();

        @DelayListener(topic = "orders")
        void order(Order order, Delivery delivery) {
            orders.add(handled(order, delivery));
        }

        @DelayListener(topic = "failing", maxAttempts = "2", backoff = "fixed 100ms")
        void fail(Order order, Delivery delivery) {
            failed.add(handled(order, delivery));
            throw new IllegalStateException("Order " + order.number() + " cannot be handled");
        }

        @DeadLetterListener(topic = "failing")
        void dead(DeadLetter deadLetter) {
            dead.add(deadLetter);
        }

        @DelayListener(topic = "sharded")
        void shard(Order order, Delivery delivery) {
            sharded.add(handled(order, delivery));
        }

        @DelayListener(topic = "pausable")
        void pausable(Order order, Delivery delivery) {
            pausable.add(handled(order, delivery));
        }

        @DelayListener(topic = "batch", batchSize = "50")
        void batch(List<Order> orders) {
            orders.forEach(order -> batches.add(order.number()));
        }

        private static Handled handled(Order order, Delivery delivery) {
            return new Handled(
                    delivery.id(),
                    order.number(),
                    delivery.attempt(),
                    System.currentTimeMillis() - delivery.dueAt().toEpochMilli(),
                    Thread.currentThread().toString().startsWith("VirtualThread"));
        }
    }
}
