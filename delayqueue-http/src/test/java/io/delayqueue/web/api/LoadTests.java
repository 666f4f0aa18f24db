package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.DeadLetterPage;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.web.api.ApiNode.Reply;
import io.delayqueue.web.waiting.OpenRequests;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/**
 * Many clients at two nodes repeat sends, settle late, twice or with wrong tokens, disconnect and cancel. Each message is
 * acknowledged, dead-lettered or cancelled exactly once, and no stale token has an effect.
 */
@Timeout(600)
@Tag("long")
@Tag("http")
class LoadTests {

    private static final String TOPIC = "load";
    private static final int SENDERS = 3;
    private static final int RECEIVERS = 6;
    private static final int MOST_DISCONNECTS = 60;

    private final List<ApiNode> nodes = new ArrayList<>();
    private final Set<String> sent = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> acknowledged = new ConcurrentHashMap<>();
    private final Map<String, Integer> cancelled = new ConcurrentHashMap<>();
    private final Queue<JsonNode> held = new ConcurrentLinkedQueue<>();
    private final AtomicInteger stale = new AtomicInteger();
    private final AtomicInteger repeats = new AtomicInteger();
    private final AtomicInteger disconnects = new AtomicInteger();

    @Test
    void eachOfManyMessagesEndsInOneWay() throws Exception {
        endsInOneWay(10_000);
    }

    private void endsInOneWay(int messages) throws Exception {
        ExecutorService clients = Executors.newCachedThreadPool();
        // the nodes are closed before their Redis
        try (RedisServerProcess server = RedisServerProcess.start();
                AutoCloseable closing = () -> nodes.forEach(ApiNode::close)) {
            for (int i = 0; i < 2; i++) {
                nodes.add(ApiNode.start(
                        "spring.data.redis.host=" + server.host(),
                        "spring.data.redis.port=" + server.port(),
                        "delayqueue.namespace=load",
                        "delayqueue.listener.auto-startup=false",
                        "delayqueue.engine.unconfirmed-sweep=500ms",
                        "delayqueue.engine.sweep=500ms",
                        "delayqueue.listener.lease=3s"));
            }
            Instant begin = Instant.now();
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < SENDERS; i++) {
                int from = messages * i / SENDERS;
                int to = messages * (i + 1) / SENDERS;
                int seed = i;
                running.add(clients.submit(() -> send(new Random(seed), from, to)));
            }
            for (int i = 0; i < RECEIVERS; i++) {
                int seed = 100 + i;
                running.add(clients.submit(() -> receive(new Random(seed), messages)));
            }
            running.add(clients.submit(() -> disconnect(messages)));
            for (Future<?> each : running) {
                each.get();
            }
            settleStale();
            check(messages);
            System.out.printf(
                    "%d messages: %d acknowledged, %d cancelled, %d repeated requests, %d stale settlements, %d disconnects in %s%n",
                    messages,
                    acknowledged.size(),
                    cancelled.size(),
                    repeats.get(),
                    stale.get(),
                    disconnects.get(),
                    Duration.between(begin, Instant.now()));
        } finally {
            clients.shutdownNow();
        }
    }

    private ApiNode any(Random random) {
        return nodes.get(random.nextInt(nodes.size()));
    }

    /** Sends single messages and batches. Most requests are repeated, some concurrently at both nodes. */
    private void send(Random random, int from, int to) {
        for (int i = from; i < to; ) {
            int count = random.nextBoolean() ? 1 : Math.min(to - i, 1 + random.nextInt(20));
            StringBuilder batch = new StringBuilder();
            for (int k = i; k < i + count; k++) {
                batch.append(k == i ? "" : ",")
                        .append("{\"id\": \"m" + k + "\", \"payload\": " + k + ", \"delay\": " + random.nextInt(400)
                                + "}");
            }
            String path = "/topics/" + TOPIC + (count == 1 ? "/messages" : "/messages/batch");
            String body = count == 1 ? batch.toString() : "{\"messages\": [" + batch + "]}";
            String key = "key-" + i;
            CompletableFuture<Reply> twin =
                    random.nextInt(4) == 0 ? any(random).postAsync(path, body, IdempotencyKey.HEADER, key) : null;
            Reply first = any(random).post(path, body, IdempotencyKey.HEADER, key);
            assertThat(first.status()).as(first.text()).isEqualTo(count == 1 ? 201 : 200);
            for (int k = i; k < i + count; k++) {
                sent.add("m" + k);
            }
            if (twin != null) {
                assertThat(twin.join().text()).isEqualTo(first.text());
                repeats.incrementAndGet();
            }
            for (int repeat = random.nextInt(3); repeat > 0; repeat--) {
                assertThat(any(random)
                                .post(path, body, IdempotencyKey.HEADER, key)
                                .text())
                        .isEqualTo(first.text());
                repeats.incrementAndGet();
            }
            if (random.nextInt(5) == 0) {
                cancel(any(random), "m" + i);
            }
            i += count;
        }
    }

    private void cancel(ApiNode node, String id) {
        Reply reply = node.delete("/topics/" + TOPIC + "/messages/" + id);
        assertThat(reply.status()).isIn(200, 404);
        if (reply.status() == 200) {
            cancelled.merge(id, 1, Integer::sum);
        }
    }

    private void receive(Random random, int messages) {
        while (sent.size() < messages || unsettled() > 0) {
            ApiNode node = any(random);
            JsonNode received = node.receive(TOPIC, "{\"count\": 20, \"wait\": \"500ms\", \"lease\": \"1s\"}")
                    .json()
                    .path("messages");
            if (random.nextInt(4) == 0) {
                acknowledgeAll(any(random), received);
            } else {
                for (JsonNode delivery : received) {
                    settle(random, delivery);
                }
            }
            JsonNode late = random.nextBoolean() ? held.poll() : null;
            if (late != null) {
                acknowledge(any(random), late);
            }
        }
    }

    private void acknowledgeAll(ApiNode node, JsonNode received) {
        if (received.isEmpty()) {
            return;
        }
        Reply reply = node.settleAll(received, "acknowledge");
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        for (JsonNode result : reply.json().path("results")) {
            String outcome = result.path("outcome").asString();
            assertThat(outcome).isIn("settled", "lease-lost");
            if (outcome.equals("settled")) {
                acknowledged.merge(result.path("id").asString(), 1, Integer::sum);
            }
        }
    }

    private void settle(Random random, JsonNode delivery) {
        ApiNode node = any(random);
        switch (random.nextInt(20)) {
            case 0 -> held.add(delivery);
            case 1 -> node.settle(delivery, "retry", "{}");
            case 2 -> node.settle(delivery, "release", "");
            case 3 -> {
                if (node.settle(delivery, "dead-letter", "").status() == 204) {
                    rejected(node.settle(delivery, "acknowledge", ""));
                }
            }
            case 4 -> {
                rejected(node.post("/leases/" + ApiNode.receipt(delivery) + "0/acknowledge", ""));
                acknowledge(node, delivery);
            }
            case 5 -> {
                acknowledge(node, delivery);
                rejected(any(random).settle(delivery, "acknowledge", ""));
            }
            default -> acknowledge(node, delivery);
        }
    }

    private void acknowledge(ApiNode node, JsonNode delivery) {
        Reply reply = node.settle(delivery, "acknowledge", "");
        assertThat(reply.status()).as(reply.text()).isIn(204, 410);
        if (reply.status() == 204) {
            acknowledged.merge(delivery.path("id").asString(), 1, Integer::sum);
        }
    }

    private void rejected(Reply reply) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(410);
        stale.incrementAndGet();
    }

    /** Messages that were held to the end were delivered to another receiver. */
    private void settleStale() {
        for (JsonNode delivery = held.poll(); delivery != null; delivery = held.poll()) {
            rejected(nodes.get(0).settle(delivery, "acknowledge", ""));
        }
    }

    private void disconnect(int messages) {
        String body = ApiNode.receiving(TOPIC, "{\"wait\": \"20s\", \"lease\": \"1s\"}");
        while (sent.size() < messages && disconnects.get() < MOST_DISCONNECTS) {
            List<RawClient> clients = new ArrayList<>();
            for (ApiNode node : nodes) {
                RawClient client = new RawClient(node.port());
                client.write("POST /delayqueue/v1/receive HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + ApiNode.TOKEN
                        + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length()
                        + "\r\n\r\n" + body);
                clients.add(client);
            }
            nodes.get(0).get("/topics/" + TOPIC + "/dead-letters?count=1");
            clients.forEach(RawClient::close);
            disconnects.addAndGet(clients.size());
        }
    }

    private long unsettled() {
        TopicCounts counts = nodes.get(0).bean(DelayQueueAdmin.class).counts(TOPIC);
        return counts.scheduled() + counts.ready() + counts.leased();
    }

    private void check(int messages) {
        DelayQueueAdmin admin = nodes.get(0).bean(DelayQueueAdmin.class);
        Set<String> dead = new TreeSet<>();
        DeadLetterPage page = admin.deadLetters(TOPIC, 500);
        while (true) {
            page.deadLetters()
                    .forEach(deadLetter ->
                            assertThat(dead.add(deadLetter.messageId())).isTrue());
            if (page.next() == null) {
                break;
            }
            page = admin.deadLetters(TOPIC, 500, page.next());
        }
        assertThat(admin.counts(TOPIC).scheduled()
                        + admin.counts(TOPIC).ready()
                        + admin.counts(TOPIC).leased())
                .isZero();
        assertThat(acknowledged.values()).allMatch(times -> times == 1);
        assertThat(cancelled.values()).allMatch(times -> times == 1);
        Set<String> ended = new TreeSet<>(dead);
        for (Set<String> way : List.of(acknowledged.keySet(), cancelled.keySet())) {
            assertThat(ended).doesNotContainAnyElementsOf(way);
            ended.addAll(way);
        }
        assertThat(ended).hasSize(messages).isEqualTo(new TreeSet<>(sent));
        assertThat(stale.get()).isPositive();
        nodes.forEach(node -> OpenRequests.assertNone(node.context()));
    }
}
