package io.delayqueue.benchmark.contender;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The product in a Spring Boot application with default settings. */
final class ProductContender implements Contender {

    private static final String TOPIC = Topics.BENCH;

    private final ConfigurableApplicationContext context;
    private final DelayQueueTemplate template;
    private final DelayListenerRegistry listeners;
    private final Receiver receiver;
    private final Settled settled;

    /** Starts the application. */
    ProductContender(int port, Measure measure) {
        Class<?>[] sources = measure == Measure.LAG
                ? new Class<?>[] {Application.class, ObservedStore.class}
                : new Class<?>[] {Application.class};
        context = new SpringApplicationBuilder(sources)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + port,
                        "spring.data.redis.client-type=lettuce", // Jedis is on the class path for the floor
                        "delayqueue.topics[" + TOPIC + "].shards=" + measure.shards(),
                        "delayqueue.topics[" + TOPIC + "].concurrency=" + measure.concurrency(),
                        "spring.threads.virtual.enabled=" + measure.onVirtualThreads(),
                        "delayqueue-test.redis=none")
                .run();
        template = context.getBean(DelayQueueTemplate.class);
        listeners = context.getBean(DelayListenerRegistry.class);
        receiver = context.getBean(Receiver.class);
        settled = context.getBean(Settled.class);
    }

    /** The application code of a user. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Receiver receiver() {
            return new Receiver();
        }

        @Bean
        Settled settled() {
            return new Settled();
        }

        @Bean
        Watcher watcher() {
            return new Watcher();
        }
    }

    /** Records the polls of the product. */
    @Configuration(proxyBeanMethods = false)
    static class ObservedStore {

        @Bean
        static PollLog polls() {
            return new PollLog();
        }
    }

    /** The measured listener. */
    static final class Receiver {

        private volatile Consumer<String> handler = payload -> {};

        @DelayListener(id = TOPIC, topic = TOPIC, autoStartup = "false")
        void receive(String payload) {
            handler.accept(payload);
        }
    }

    /** Listeners of topics without messages. */
    static final class Watcher {

        private static final Log log = LogFactory.getLog(Watcher.class);

        @DelayListener(id = "idle-0", topic = "idle-0", autoStartup = "false")
        @DelayListener(id = "idle-1", topic = "idle-1", autoStartup = "false")
        @DelayListener(id = "idle-2", topic = "idle-2", autoStartup = "false")
        @DelayListener(id = "idle-3", topic = "idle-3", autoStartup = "false")
        @DelayListener(id = "idle-4", topic = "idle-4", autoStartup = "false")
        @DelayListener(id = "idle-5", topic = "idle-5", autoStartup = "false")
        @DelayListener(id = "idle-6", topic = "idle-6", autoStartup = "false")
        @DelayListener(id = "idle-7", topic = "idle-7", autoStartup = "false")
        @DelayListener(id = "idle-8", topic = "idle-8", autoStartup = "false")
        @DelayListener(id = "idle-9", topic = "idle-9", autoStartup = "false")
        void receive(String payload) {
            log.error("Received " + payload + " although no message was sent");
        }
    }

    /** Counts acknowledgements confirmed by Redis. */
    static final class Settled implements DelayQueueEvents {

        private final LongAdder count = new LongAdder();

        @Override
        public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
            count.increment();
        }
    }

    @Override
    public void send(Item item) {
        template.send(TOPIC, item.payload(), item.dueAt());
    }

    @Override
    public void sendAll(List<Item> items) {
        List<DelayMessage> messages = new ArrayList<>(items.size());
        for (Item item : items) {
            messages.add(DelayMessage.to(TOPIC)
                    .payload(item.payload())
                    .dueAt(item.dueAt())
                    .build());
        }
        template.sendAll(messages);
    }

    @Override
    public CompletableFuture<?> sendAsync(Item item) {
        return template.sendAsync(TOPIC, item.payload(), item.dueAt());
    }

    @Override
    public void consume(Consumer<String> handler) {
        receiver.handler = handler;
        settled.count.reset();
        listeners.start(TOPIC);
    }

    @Override
    public long settled() {
        return settled.count.sum();
    }

    @Override
    public PollLog polls() {
        return context.getBean(PollLog.class);
    }

    @Override
    public void stop() {
        listeners.stop(TOPIC).join();
    }

    @Override
    public void watch(int topics) {
        for (int i = 0; i < topics; i++) {
            listeners.start("idle-" + i);
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
