package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.Pacing;
import io.delayqueue.container.QueueNode;
import io.delayqueue.listener.Backoff;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ManagedListener;
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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three nodes share a Redis that is killed and restarted while listeners are stopped and started. */
@Tag("long")
@Tag("core")
class KilledRedisTests {

    private static final String TOPIC = "chaos";
    private static final int MESSAGES = 20_000;
    private static final int KILLS = 3;
    private static final Duration MAX_DELAY = Duration.ofSeconds(10);

    private static final ListenerOptions OPTIONS = ListenerOptions.DEFAULTS.toBuilder()
            .lease(Duration.ofSeconds(3))
            .maxAttempts(4)
            .retryPolicy(new Backoff.Fixed(Duration.ofMillis(50)))
            .drainTime(Duration.ofSeconds(10))
            .build();

    private final Ledger ledger = new Ledger();
    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private final List<QueueNode> nodes = new ArrayList<>();
    private final List<ManagedListener> listeners = new ArrayList<>();
    private RedisServerProcess redis;

    @BeforeEach
    void start() {
        System.out.println("seed " + seed);
        redis = RedisServerProcess.builder().appendOnly().start();
        for (int i = 0; i < 3; i++) {
            QueueNode node = QueueNode.on(redis.port())
                    .settings(Pacing.builtIn().heartbeat(Duration.ofMillis(700)).settings())
                    .events(ledger)
                    .start();
            nodes.add(node);
            listeners.add(node.listen(TOPIC, OPTIONS, this::handle));
        }
    }

    @AfterEach
    void stop() {
        nodes.forEach(QueueNode::close);
        redis.close();
    }

    @Test
    @Timeout(180)
    void eachMessageHasExactlyOneOutcome() {
        CompletableFuture<Void> sending = CompletableFuture.runAsync(this::sendAll);
        cancelSome();
        for (int kill = 0; kill < KILLS; kill++) {
            restartListener();
            int reached = ledger.settled() + MESSAGES / 10;
            await().until(() -> ledger.settled() >= Math.min(reached, MESSAGES - 1));
            redis.kill();
            redis.restart();
        }
        sending.orTimeout(60, TimeUnit.SECONDS).join();
        await().atMost(Duration.ofSeconds(90))
                .untilAsserted(() -> assertThat(ledger.settled()).isGreaterThanOrEqualTo(MESSAGES));
        await().until(() -> live().isEmpty());
        ledger.check(live(), deadLetters());
        System.out.println("acknowledged " + ledger.acknowledgedCount() + ", dead letters "
                + deadLetters().size());
    }

    private void sendAll() {
        DelayQueueTemplate template = nodes.get(0).template;
        for (int from = 0; from < MESSAGES; from += 200) {
            List<DelayMessage> batch = new ArrayList<>();
            for (int i = from; i < from + 200; i++) {
                String id = "m" + i;
                ledger.sent(id);
                batch.add(DelayMessage.to(TOPIC)
                        .id(id)
                        .payload("payload of " + id)
                        .delay(Duration.ofMillis(random.nextLong(MAX_DELAY.toMillis())))
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
        DelayQueueTemplate template = nodes.get(1).template;
        for (int i = 0; i < 200; i++) {
            String id = "m" + (i * 7);
            await().until(() -> template.find(TOPIC, id).isPresent() || ledger.startCount(id) > 0);
            if (template.cancel(TOPIC, id).isCancelled()) {
                ledger.cancelled(id);
            }
        }
    }

    private void restartListener() {
        ManagedListener listener = listeners.get(random.nextInt(listeners.size()));
        listener.stop().join();
        listener.start();
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

    /** Fails for some messages always, for some only at the first attempt, and is slow for others. */
    private @Nullable CompletionStage<?> handle(List<Delivery> deliveries) {
        Delivery delivery = deliveries.get(0);
        ledger.handlerStarted(delivery);
        try {
            int number = Integer.parseInt(delivery.id().substring(1));
            assertThat(delivery.payload()).isEqualTo("payload of " + delivery.id());
            if (number % 100 == 3) {
                throw new IllegalStateException("always");
            }
            if (number % 10 == 5 && delivery.attempt() == 1) {
                throw new IllegalStateException("at first");
            }
            if (number % 200 == 11) {
                LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
            }
            return null;
        } finally {
            ledger.handlerEnded(delivery);
        }
    }
}
