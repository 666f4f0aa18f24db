package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.web.api.ApiNode.Reply;
import io.delayqueue.web.waiting.LongPolls;
import io.delayqueue.web.waiting.OpenRequests;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/**
 * Clients hang up at any moment while others receive from the same topic. Each message is acknowledged exactly once, and
 * none is left under a lease.
 */
@Timeout(600)
@Tag("long")
@Tag("http")
abstract class HangUpContract {

    private static final String TOPIC = "hang-up";
    private static final int RECEIVERS = 8;
    private static final int DISCONNECTING = 2;

    /** Requests of a disconnecting client that wait at the same time. */
    private static final int MOST_OPEN = 3;

    private final HttpClient.Version version;
    private final String[] properties;
    private final Map<String, Integer> acknowledged = new ConcurrentHashMap<>();
    private final Semaphore mayConnect = new Semaphore(DISCONNECTING * MOST_OPEN);
    private final Semaphore disconnected = new Semaphore(0);
    private final AtomicInteger disconnections = new AtomicInteger();
    private final AtomicInteger redelivered = new AtomicInteger();
    private ApiNode node;

    HangUpContract(HttpClient.Version version, String... properties) {
        this.version = version;
        this.properties = properties;
    }

    @Test
    void eachOfManyMessagesIsAcknowledgedOnce() throws Exception {
        acknowledgesEachOnce(4_000);
        assertThat(redelivered.get())
                .as("messages whose lease ended with a disconnected client")
                .isGreaterThan(40);
    }

    /** At least as many clients disconnect. */
    private void acknowledgesEachOnce(int messages) throws Exception {
        ExecutorService clients = Executors.newCachedThreadPool();
        try (RedisServerProcess redis = RedisServerProcess.start();
                ApiNode started = start(redis)) {
            node = started;
            Instant begin = Instant.now();
            CompletionService<Object> running = new ExecutorCompletionService<>(clients);
            for (int i = 0; i < RECEIVERS; i++) {
                running.submit(() -> receive(messages), null);
            }
            for (int i = 0; i < DISCONNECTING; i++) {
                Random random = new Random(i);
                running.submit(() -> {
                    disconnect(random, messages);
                    return null;
                });
            }
            running.submit(() -> {
                send(messages);
                return null;
            });
            for (int i = 0; i < RECEIVERS + DISCONNECTING + 1; i++) {
                running.take().get(); // in the order in which they end, because the others wait for one that fails
            }
            check(messages);
            System.out.printf(
                    "%s on %s: %d messages, %d disconnections, %d redelivered after the lease, in %s%n",
                    version,
                    node.server(),
                    messages,
                    disconnections.get(),
                    redelivered.get(),
                    Duration.between(begin, Instant.now()));
        } finally {
            clients.shutdownNow();
        }
    }

    private ApiNode start(RedisServerProcess redis) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.addAll(List.of(
                "spring.data.redis.host=" + redis.host(),
                "spring.data.redis.port=" + redis.port(),
                "delayqueue.listener.auto-startup=false",
                "delayqueue.engine.sweep=500ms",
                "delayqueue.engine.unconfirmed-sweep=500ms"));
        return ApiNode.start(all.toArray(String[]::new));
    }

    /**
     * Sends a message after each disconnection and then permits another connection, so that clients disconnect while
     * messages are delivered. There is always a permission or a disconnection, because a client that waits for a
     * permission has fewer than {@link #MOST_OPEN} connections.
     */
    private void send(int messages) throws InterruptedException {
        for (int i = 0; i < messages; i++) {
            disconnected.acquire();
            node.template()
                    .send(DelayMessage.to(TOPIC)
                            .id("m" + i)
                            .payload(i)
                            .maxAttempts(1_000)
                            .build());
            mayConnect.release();
        }
    }

    private void receive(int messages) {
        while (acknowledged.size() < messages) {
            Reply reply = node.receive(TOPIC, "{\"wait\": \"500ms\", \"lease\": \"30s\"}");
            assertThat(reply.status()).as(reply.text()).isEqualTo(200);
            for (JsonNode delivery : reply.json().path("messages")) {
                assertThat(node.settle(delivery, "acknowledge", "").status()).isEqualTo(204);
                acknowledged.merge(delivery.path("id").asString(), 1, Integer::sum);
                assertThat(delivery.path("crashes").asInt()).isZero();
                if (delivery.path("attempt").asInt() > 1) {
                    redelivered.incrementAndGet();
                }
            }
        }
    }

    private void disconnect(Random random, int messages) throws InterruptedException {
        List<WaitingClient> open = new ArrayList<>();
        while (disconnections.get() < messages) {
            mayConnect.acquire();
            open.add(WaitingClient.open(
                    version, node.port(), TOPIC, random.nextBoolean(), "{\"wait\": \"5s\", \"lease\": \"1s\"}"));
            if (open.size() > random.nextInt(MOST_OPEN)) {
                open.remove(random.nextInt(open.size())).close();
                disconnections.incrementAndGet();
                disconnected.release();
            }
        }
        open.forEach(WaitingClient::close);
    }

    private void check(int messages) {
        await().until(() -> node.bean(LongPolls.class).waiting() == 0);
        DelayQueueAdmin admin = node.bean(DelayQueueAdmin.class);
        TopicCounts counts = admin.counts(TOPIC);
        assertThat(counts.scheduled() + counts.ready() + counts.leased()).isZero();
        assertThat(admin.deadLetters(TOPIC, 1).deadLetters()).isEmpty();
        assertThat(acknowledged.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, messages).mapToObj(i -> "m" + i).toList());
        assertThat(acknowledged.values()).allMatch(times -> times == 1);
        assertThat(disconnections.get()).isGreaterThanOrEqualTo(messages);
        OpenRequests.assertNone(node.context());
    }
}
