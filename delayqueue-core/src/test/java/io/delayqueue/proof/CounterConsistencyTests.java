package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.Pacing;
import io.delayqueue.container.QueueNode;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult.Rejected;
import io.delayqueue.message.SendResult.Unknown;
import io.delayqueue.metrics.DelayQueueMeters;
import io.delayqueue.metrics.EventMeters;
import io.delayqueue.template.BatchSendException;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisRequest;
import io.delayqueue.test.redis.RedisServerProcess;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The counters of all nodes add up: each sent message is counted once as acknowledged, dead-lettered, cancelled or
 * live. The exceptions are known: settlements and cancellations whose reply never reached a live node. Replies are
 * lost, sends with an unknown outcome are repeated, and a node is killed.
 */
@EmbeddedRedis
@Tag("long")
@Tag("core")
class CounterConsistencyTests implements DelayQueueEvents {

    private static final String TOPIC = "t";
    private static final ListenerOptions OPTIONS = ListenerOptions.DEFAULTS.toBuilder()
            .lease(Duration.ofSeconds(1))
            .concurrency(4)
            .build();

    private final RedisServerProcess redis;
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<QueueNode> nodes = new ArrayList<>();
    private final Set<String> sent = new HashSet<>();
    private final Set<String> ended = ConcurrentHashMap.newKeySet();

    /** Messages whose cancellation succeeded but whose reply was lost. */
    private final Set<String> cancelledUnconfirmed = new HashSet<>();

    /** Messages that killed nodes handled last. Some of them were acknowledged without being counted. */
    private final Set<String> handledByKilledNodes = new HashSet<>();

    private FaultProxy proxy;
    private QueueNode sender;
    private QueueNode undisturbed;

    CounterConsistencyTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void start() {
        redis.flush();
        proxy = FaultProxy.inFrontOf(redis);
        sender = start(QueueNode.on(proxy.port()).commandTimeout(Duration.ofMillis(300)), Duration.ofMillis(200));
        undisturbed = start(QueueNode.on(redis.port()), Duration.ofMillis(200));
        nodes.addAll(List.of(sender, undisturbed));
        send(List.of(live("first")));
    }

    @AfterEach
    void stop() {
        proxy.pass();
        nodes.forEach(QueueNode::close);
        proxy.close();
    }

    @Override
    public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
        ended.add(id);
    }

    @Override
    public void deadLettered(Recipient recipient, String id, DeadLetterCause cause, @Nullable Duration handling) {
        ended.add(id);
    }

    @Override
    public void cancelled(String topic, String id) {
        ended.add(id);
    }

    private QueueNode start(QueueNode.Builder node, Duration sweep) {
        return node.settings(Pacing.builtIn()
                        .heartbeat(Duration.ofMillis(200))
                        .sweep(sweep)
                        .settings())
                .events(new EventMeters(meters, 10), this)
                .start();
    }

    @Test
    @Timeout(600)
    void countersAddUpAfterManyFaults() {
        for (int round = 0; round < 20; round++) {
            sendWithFaults("round" + round + "-", 1000);
        }
        finish();
    }

    /** Sends, cancels and expires messages while replies are lost and a node is killed. */
    private void sendWithFaults(String prefix, int messages) {
        List<DelayMessage> due =
                ids(prefix + "due", messages).map(id -> message(id).build()).toList();
        List<DelayMessage> later =
                ids(prefix + "later", messages).map(this::live).toList();
        proxy.cutNextReply(RedisRequest::isScript);
        send(due);
        proxy.blackHole(Direction.SERVER_TO_CLIENT);
        Collection<DelayMessage> repeats = send(later);
        assertThat(repeats).isNotEmpty();
        for (int i = 0; i < 2; i++) {
            send(List.copyOf(repeats));
        }
        cancel(later.subList(0, messages / 2));
        killConsumingNode();
        send(ids(prefix + "expired", messages)
                .map(id -> message(id)
                        .expireAt(Instant.parse("2000-01-01T00:00:00Z"))
                        .build())
                .toList());
    }

    private static Stream<String> ids(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i);
    }

    private static DelayMessage.Builder message(String id) {
        return DelayMessage.to(TOPIC).id(id).payload("p");
    }

    private DelayMessage live(String id) {
        return message(id).delay(Duration.ofDays(1)).build();
    }

    /** Sends messages until each send has a known outcome. Returns the messages that had an unknown outcome. */
    private Collection<DelayMessage> send(List<DelayMessage> messages) {
        Map<String, DelayMessage> repeats = new HashMap<>();
        List<DelayMessage> open = messages;
        while (!open.isEmpty()) {
            try {
                sender.template.sendAll(open);
                open = List.of();
            } catch (BatchSendException e) {
                proxy.pass();
                proxy.disconnect();
                List<DelayMessage> again = new ArrayList<>();
                for (int i = 0; i < open.size(); i++) {
                    if (e.results().get(i) instanceof Unknown unknown) {
                        again.add(unknown.message());
                        repeats.put(unknown.id(), unknown.message());
                    } else if (e.results().get(i) instanceof Rejected) {
                        again.add(open.get(i));
                    }
                }
                open = again;
            }
        }
        messages.forEach(message -> sent.add(message.id()));
        return repeats.values();
    }

    /** Cancels messages. The reply to the first cancel is lost. The client retries and finds no message to cancel. */
    private void cancel(List<DelayMessage> messages) {
        proxy.cutNextReply(RedisRequest::isScript);
        for (DelayMessage message : messages) {
            if (!cancelled(message.id())) {
                cancelledUnconfirmed.add(message.id());
            }
        }
    }

    private boolean cancelled(String id) {
        while (true) {
            try {
                return sender.template.cancel(TOPIC, id).isCancelled();
            } catch (DelayQueueException e) {
                // retry
            }
        }
    }

    /** Kills a node whose acknowledgements reach Redis but whose replies are lost. */
    private void killConsumingNode() {
        try (FaultProxy own = FaultProxy.inFrontOf(redis)) {
            QueueNode killed = start(QueueNode.on(own.port()), Duration.ofMinutes(1));
            Set<String> handled = ConcurrentHashMap.newKeySet();
            CountDownLatch repliesLost = new CountDownLatch(1);
            killed.listen(
                    TOPIC,
                    OPTIONS.toBuilder()
                            .concurrency(1)
                            .batchSize(4)
                            .prefetch(0)
                            .drainTime(Duration.ZERO)
                            .build(),
                    batch -> {
                        batch.forEach(delivery -> handled.add(delivery.id()));
                        repliesLost.await();
                        return null;
                    });
            await().until(() -> !handled.isEmpty());
            own.blackHole(Direction.SERVER_TO_CLIENT);
            repliesLost.countDown();
            // if a poll already waited for its reply, nothing is acknowledged and all messages are redelivered
            Instant latest = Instant.now().plusSeconds(2);
            await().until(() -> stored().stream().noneMatch(handled::contains)
                    || Instant.now().isAfter(latest));
            killed.abandon();
            killed.close(); // its tasks would go on in this JVM, and fail
            handledByKilledNodes.addAll(handled);
        }
    }

    private Set<String> stored() {
        return Ledger.ids(redis, "HKEYS", "dq:{t:0.0}:messages");
    }

    private void finish() {
        undisturbed.listen(TOPIC, OPTIONS, deliveries -> null);
        proxy.cutNextReply(RedisRequest::isScript);
        sender.listen(TOPIC, OPTIONS, deliveries -> null);
        await().atMost(Duration.ofMinutes(2))
                .untilAsserted(() -> assertThat(stored()).allMatch(id -> id.contains("later") || id.equals("first")));
        nodes.forEach(QueueNode::close);
        nodes.clear();

        Set<String> open = new HashSet<>(sent);
        open.removeAll(ended);
        open.removeAll(stored());
        assertThat(open).containsAll(cancelledUnconfirmed);
        open.removeAll(cancelledUnconfirmed);
        assertThat(handledByKilledNodes).containsAll(open);
        assertThat(count(DelayQueueMeters.MESSAGES_SENT)).isEqualTo(sent.size());
        assertThat(count(DelayQueueMeters.MESSAGES_ACKNOWLEDGED)
                        + count(DelayQueueMeters.MESSAGES_DEAD)
                        + count(DelayQueueMeters.MESSAGES_CANCELLED)
                        + stored().size())
                .isEqualTo(sent.size() - cancelledUnconfirmed.size() - open.size());
    }

    private double count(DelayQueueMeters meter) {
        return meters.find(meter.getName()).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }
}
