package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult;
import io.delayqueue.template.BatchSendException;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/** Three applications share a Redis that is killed and restarted while listeners are stopped and started. */
class ChaosTests {

    private static final String TOPIC = "chaos";

    private final Ledger ledger = new Ledger();
    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private final List<ConfigurableApplicationContext> nodes = new ArrayList<>();
    private RedisServerProcess redis;

    @BeforeEach
    void start() {
        System.out.println("seed " + seed);
        redis = RedisServerProcess.builder().appendOnly().start();
        for (int i = 0; i < 3; i++) {
            nodes.add(node());
        }
    }

    @AfterEach
    void stop() {
        nodes.forEach(ConfigurableApplicationContext::close);
        redis.close();
    }

    private ConfigurableApplicationContext node() {
        ApplicationContextInitializer<GenericApplicationContext> ledgerBean =
                context -> context.registerBean(Ledger.class, () -> ledger);
        return new SpringApplicationBuilder(Node.class)
                .web(WebApplicationType.NONE)
                .initializers(ledgerBean)
                .properties(
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + redis.port(),
                        "spring.main.banner-mode=off",
                        "delayqueue.engine.heartbeat=500ms",
                        "delayqueue.engine.heartbeat-timeout=2s")
                .run();
    }

    @Test
    void eachMessageHasExactlyOneOutcome() {
        runChaos(2_000, 1, Duration.ofSeconds(2));
    }

    @Test
    @Tag("soak")
    @Timeout(180)
    void eachOfManyMessagesHasExactlyOneOutcome() {
        runChaos(20_000, 3, Duration.ofSeconds(10));
    }

    /** Sends messages with random delays up to {@code longestDelay} while Redis is killed {@code kills} times. */
    private void runChaos(int messages, int kills, Duration longestDelay) {
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> sendAll(messages, longestDelay));
        cancelSome();
        for (int kill = 0; kill < kills; kill++) {
            restartListener();
            int reached = ledger.settled() + messages / 10;
            await().atMost(Duration.ofSeconds(60)).until(() -> ledger.settled() >= Math.min(reached, messages - 1));
            redis.kill();
            redis.restart();
        }
        sending.orTimeout(60, TimeUnit.SECONDS).join();
        await().atMost(Duration.ofSeconds(90))
                .untilAsserted(() -> assertThat(ledger.settled()).isGreaterThanOrEqualTo(messages));
        await().atMost(Duration.ofSeconds(30)).until(() -> live().isEmpty());
        ledger.check(live(), deadLetters());
        System.out.println("acknowledged " + ledger.acknowledgedCount() + ", dead letters "
                + deadLetters().size());
    }

    private void sendAll(int messages, Duration longestDelay) {
        DelayQueueTemplate template = nodes.get(0).getBean(DelayQueueTemplate.class);
        for (int from = 0; from < messages; from += 200) {
            List<DelayMessage> batch = new ArrayList<>();
            for (int i = from; i < from + 200; i++) {
                String id = "m" + i;
                ledger.sent(id);
                batch.add(DelayMessage.to(TOPIC)
                        .id(id)
                        .payload("payload of " + id)
                        .delay(Duration.ofMillis(random.nextLong(longestDelay.toMillis())))
                        .build());
            }
            send(template, batch);
        }
    }

    private void send(DelayQueueTemplate template, List<DelayMessage> batch) {
        List<DelayMessage> pending = batch;
        while (!pending.isEmpty()) {
            try {
                template.sendAll(pending);
                return;
            } catch (BatchSendException e) {
                pending = notStored(pending, e.results());
            }
        }
    }

    private static List<DelayMessage> notStored(List<DelayMessage> messages, List<SendResult> results) {
        List<DelayMessage> pending = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i) instanceof SendResult.Unknown unknown) {
                pending.add(unknown.message());
            } else if (results.get(i) instanceof SendResult.Rejected) {
                pending.add(messages.get(i));
            }
        }
        return pending;
    }

    /** Cancels messages while Redis is available, so that each outcome is known. */
    private void cancelSome() {
        DelayQueueTemplate template = nodes.get(1).getBean(DelayQueueTemplate.class);
        for (int i = 0; i < 200; i++) {
            String id = "m" + (i * 7);
            await().pollDelay(Duration.ZERO)
                    .until(() -> template.find(TOPIC, id).isPresent() || ledger.startCount(id) > 0);
            if (template.cancel(TOPIC, id).isCancelled()) {
                ledger.cancelled(id);
            }
        }
    }

    private void restartListener() {
        DelayListenerRegistry registry = nodes.get(random.nextInt(nodes.size())).getBean(DelayListenerRegistry.class);
        String id = registry.getListenerIds().iterator().next();
        registry.stop(id).join();
        registry.start(id);
    }

    private Set<String> live() {
        Set<String> live = names("HKEYS", "dq:{" + TOPIC + ":0.0}:messages");
        live.addAll(names("ZRANGE", "dq:{" + TOPIC + ":0.0}:schedule", "0", "-1"));
        live.addAll(names("ZRANGE", "dq:{" + TOPIC + ":0.0}:leases", "0", "-1"));
        live.addAll(names("HKEYS", "dq:{" + TOPIC + ":0.0}:deliveries"));
        return live;
    }

    private Set<String> deadLetters() {
        Set<String> ids = new HashSet<>();
        names("ZRANGE", "dq:{" + TOPIC + ":0.0}:dead", "0", "-1")
                .forEach(deadLetter -> ids.add(deadLetter.substring(0, deadLetter.lastIndexOf('@'))));
        return ids;
    }

    private Set<String> names(String... command) {
        Set<String> names = new HashSet<>();
        for (Object name : (List<?>) redis.command(command)) {
            if (!name.toString().startsWith("~~~")) {
                names.add(name.toString());
            }
        }
        return names;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Node {

        @Bean
        Handler handler(Ledger ledger) {
            return new Handler(ledger);
        }
    }

    /** Fails for some messages always, for some only at the first attempt, and is slow for others. */
    static class Handler {

        private final Ledger ledger;

        Handler(Ledger ledger) {
            this.ledger = ledger;
        }

        @DelayListener(
                topic = TOPIC,
                concurrency = "8",
                lease = "3s",
                maxAttempts = "4",
                backoff = "fixed 50ms",
                drainTime = "10s")
        void handle(String payload, Delivery delivery) {
            ledger.handlerStarted(delivery);
            try {
                int number = Integer.parseInt(delivery.id().substring(1));
                assertThat(payload).isEqualTo("payload of " + delivery.id());
                if (number % 100 == 3) {
                    throw new IllegalStateException("always");
                }
                if (number % 10 == 5 && delivery.attempt() == 1) {
                    throw new IllegalStateException("at first");
                }
                if (number % 200 == 11) {
                    LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
                }
            } finally {
                ledger.handlerEnded(delivery);
            }
        }
    }
}
