package io.delayqueue.container;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryDecision.RetryAfter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Messages of few ids, sent while earlier ones of the same id are being handled on two nodes. */
class OnePerIdTests extends NodeTest {

    private static final int SENDERS = 4;
    private static final int IDS = 20;
    private static final int SENT_PER_ID = 150;
    private static final ListenerOptions OPTIONS = ListenerOptions.DEFAULTS.toBuilder()
            .concurrency(8)
            .lease(Duration.ofHours(1))
            .retryPolicy(failed -> new RetryAfter(Duration.ofMillis(1)))
            .build();

    private final ExecutorService senders = Executors.newFixedThreadPool(SENDERS);
    /** By id, advanced by each call that sends it. A handler waits for two: the second one began after the handler. */
    private final Map<String, Phaser> sends = new ConcurrentHashMap<>();

    private final Map<String, String> running = new ConcurrentHashMap<>();
    private final Map<String, String> last = new ConcurrentHashMap<>();
    private final Queue<String> together = new ConcurrentLinkedQueue<>();
    private final AtomicInteger started = new AtomicInteger();

    OnePerIdTests(RedisServerProcess redis) {
        super(redis);
    }

    @Test
    void afterRunning() {
        lastPayloadIsHandledLast(message -> message.onDuplicate(OnDuplicate.AFTER_RUNNING));
    }

    @Test
    void debounced() {
        lastPayloadIsHandledLast(message -> message.debounce(Duration.ofMillis(5), Duration.ofMillis(20)));
    }

    private void lastPayloadIsHandledLast(UnaryOperator<DelayMessage.Builder> how) {
        // neither a sweep nor the end of a lease helps a successor to take over
        List<QueueNode> both = List.of(
                add(QueueNode.on(redis.port()).settings(Pacing.quiet().settings())),
                add(QueueNode.on(redis.port()).settings(Pacing.quiet().settings())));
        both.forEach(node -> node.listen("t", OPTIONS, this::handle));

        CompletableFuture.allOf(IntStream.range(0, SENDERS)
                        .mapToObj(sender -> CompletableFuture.runAsync(() -> send(both, sender, how), senders))
                        .toArray(CompletableFuture[]::new))
                .join();
        senders.shutdown();
        sends.values().forEach(Phaser::forceTermination);

        await().until(() -> entries("HLEN", "messages") == 0);
        assertThat(entries("HLEN", "deliveries")).isZero();
        assertThat(List.of("schedule", "leases", "dead"))
                .allSatisfy(key -> assertThat(entries("ZCARD", key)).as(key).isZero());
        assertThat(together).isEmpty();
        assertThat(last)
                .hasSize(IDS)
                .allSatisfy((id, payload) -> assertThat(payload).as(id).isEqualTo(Integer.toString(SENT_PER_ID - 1)));
        assertThat(started.get()).isLessThan(IDS * SENT_PER_ID);
    }

    /** Each id has one sender, which uses both nodes in turn. Every other sender has two messages of an id in a batch. */
    private void send(List<QueueNode> both, int sender, UnaryOperator<DelayMessage.Builder> how) {
        int step = sender % 2 + 1;
        for (int i = 0; i < SENT_PER_ID; i += step) {
            List<DelayMessage> messages = IntStream.range(i, i + step)
                    .boxed()
                    .flatMap(payload -> IntStream.iterate(sender, id -> id < IDS, id -> id + SENDERS)
                            .mapToObj(id -> how.apply(DelayMessage.to("t").id("m" + id))
                                    .payload(payload.toString())
                                    .build()))
                    .toList();
            QueueNode node = both.get(i / step % 2);
            if (step == 1) {
                messages.forEach(node.template::send);
            } else {
                node.template.sendAll(messages);
            }
            messages.stream()
                    .map(DelayMessage::id)
                    .distinct()
                    .forEach(id -> sendsOf(id).arrive());
        }
    }

    private @Nullable CompletableFuture<?> handle(List<Delivery> deliveries) {
        Delivery delivery = deliveries.get(0);
        String payload = new String(delivery.body(), UTF_8);
        String other = running.put(delivery.id(), payload);
        if (other != null) {
            together.add(delivery.id() + ": " + other + " and " + payload);
        }
        started.incrementAndGet();
        Phaser next = sendsOf(delivery.id());
        next.awaitAdvance(next.awaitAdvance(next.getPhase()));
        last.put(delivery.id(), payload);
        running.remove(delivery.id());
        if (payload.endsWith("5") && delivery.attempt() == 1) {
            throw new IllegalStateException("on purpose");
        }
        return null;
    }

    private Phaser sendsOf(String id) {
        return sends.computeIfAbsent(id, absent -> new Phaser(1));
    }

    private long entries(String command, String key) {
        return Long.parseLong(String.valueOf(redis.command(command, "dq:{t:0.0}:" + key))) - 1;
    }
}
