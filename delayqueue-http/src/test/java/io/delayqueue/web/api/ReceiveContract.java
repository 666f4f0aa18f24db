package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.web.api.ApiNode.Reply;
import io.delayqueue.web.api.request.Receipt;
import io.delayqueue.web.waiting.LongPolls;
import io.delayqueue.web.waiting.OpenRequests;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.search.Search;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;

/** Receiving and settling over HTTP, on a servlet container. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ReceiveContract {

    private static final int MOST_WAITING = 20;

    private final HttpClient.Version version;
    private final String server;
    private final String[] properties;
    private ApiNode node;
    private int opened;

    ReceiveContract(HttpClient.Version version, String server, String... properties) {
        this.version = version;
        this.server = server;
        this.properties = properties;
    }

    @BeforeAll
    void start() {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("delayqueue.http.max-waiting=" + MOST_WAITING);
        all.add("server.servlet.context-path=/app");
        node = ApiNode.start(all.toArray(String[]::new));
    }

    @AfterAll
    void stop() {
        node.close();
    }

    private static String topic() {
        return "work/" + UUID.randomUUID();
    }

    private void send(String topic, String id) {
        assertThat(node.send(PathNames.encode(topic), "{\"id\": \"" + id + "\", \"payload\": {\"n\": 1}}")
                        .status())
                .isEqualTo(201);
    }

    private JsonNode receive(String topic, String json) {
        return node.receive(topic, json).json().path("messages");
    }

    private JsonNode one(String topic) {
        JsonNode messages = receive(topic, "{\"wait\": \"20s\", \"lease\": \"1h\"}");
        assertThat(messages).hasSize(1);
        return messages.get(0);
    }

    @Test
    void testsRunOnTheirServer() {
        assertThat(node.server()).startsWithIgnoringCase(server);
        assertThat(node.receive(topic(), "{}").response().version()).isEqualTo(version);
    }

    @Test
    void dueMessagesAreLeased() {
        String topic = topic();
        send(topic, "a/b");

        JsonNode delivery = one(topic);

        assertThat(delivery.path("topic").asString()).isEqualTo(topic);
        assertThat(delivery.path("id").asString()).isEqualTo("a/b");
        assertThat(delivery.path("attempt").asInt()).isEqualTo(1);
        assertThat(delivery.path("payload").toString()).isEqualTo("{\"n\":1}");
        assertThat(ApiNode.receipt(delivery)).matches("[0-9A-Za-z._-]+");
        assertThat(Instant.parse(delivery.path("leaseEnd").asString()))
                .isAfter(Instant.parse(delivery.path("dueAt").asString()));
        assertThat(receive(topic, "{\"count\": 5}").isEmpty()).isTrue();
        assertThat(node.settle(delivery, "acknowledge", "").status()).isEqualTo(204);
        assertThat(node.template().find(topic, "a/b")).isEmpty();
    }

    @Test
    void waitingClientReceivesAMessageWhenItIsDue() {
        String topic = topic();
        CompletableFuture<HttpResponse<String>> waiting = node.client()
                .sendAsync(
                        node.request("/receive")
                                .header("Content-Type", "application/json")
                                .POST(BodyPublishers.ofString(ApiNode.receiving(topic, "{\"wait\": \"50s\"}")))
                                .build(),
                        BodyHandlers.ofString());
        await().until(() -> node.bean(LongPolls.class).waiting() == 1);

        send(topic, "a");

        assertThat(waiting.join().body()).contains("\"id\":\"a\"");
    }

    @Test
    void disconnectedClientIsNoServerError() {
        MeterRegistry meters = node.bean(MeterRegistry.class);
        for (int i = 0; i < 2; i++) {
            long before = disconnections(meters);
            try (WaitingClient client = waiting(topic())) {
                await().until(() -> node.bean(LongPolls.class).waiting() == 1);
            }
            await().until(() -> disconnections(meters) > before);
        }
        assertThat(count(meters.find("http.server.requests").tags("outcome", "SERVER_ERROR")))
                .isZero();
    }

    private static long disconnections(MeterRegistry meters) {
        return count(meters.find("http.server.requests").tags("status", "499"));
    }

    private static long count(Search search) {
        return search.timers().stream().mapToLong(Timer::count).sum();
    }

    @Test
    void eachSettlementEndsTheLease() {
        String topic = topic();
        for (String verb : List.of("acknowledge", "retry", "dead-letter", "release")) {
            send(topic, verb);
            JsonNode delivery = one(topic);
            assertThat(node.settle(delivery, verb, "{}").status()).as(verb).isEqualTo(204);

            for (String late : List.of("acknowledge", "retry", "dead-letter", "extend", "release")) {
                Reply reply = node.settle(delivery, late, "{}");
                assertThat(reply.status()).as(late + " after " + verb).isEqualTo(410);
                assertThat(reply.problem()).isEqualTo("lease-lost");
                assertThat(reply.json().path("id").asString()).isEqualTo(verb);
            }
            node.template().cancel(topic, verb);
        }
    }

    @Test
    void lateSettlementDoesNotAffectTheNextDelivery() {
        String topic = topic();
        send(topic, "a");
        JsonNode first = one(topic);
        assertThat(node.settle(first, "retry", "{\"reason\": \"not yet\"}").status())
                .isEqualTo(204);
        JsonNode second = one(topic);

        assertThat(second.path("attempt").asInt()).isEqualTo(2);
        assertThat(second.path("lastFailure").asString()).isEqualTo("retry: not yet");
        assertThat(node.settle(first, "acknowledge", "").status()).isEqualTo(410);
        assertThat(node.template().find(topic, "a").orElseThrow().state()).isEqualTo(MessageState.LEASED);
        assertThat(node.settle(second, "acknowledge", "").status()).isEqualTo(204);
    }

    @Test
    void releaseDoesNotCountTheAttempt() {
        String topic = topic();
        send(topic, "a");
        node.settle(one(topic), "release", "");

        assertThat(one(topic).path("attempt").asInt()).isEqualTo(1);
    }

    @Test
    void postponeHasADelayAndDoesNotCountTheAttempt() {
        String topic = topic();
        send(topic, "a");
        JsonNode first = one(topic);
        assertThat(first.path("postponements").asInt()).isZero();
        for (String invalid : List.of("{}", "{\"delay\": \"-1s\"}", "{\"delay\": \"3651d\"}")) {
            assertThat(node.settle(first, "postpone", invalid).status())
                    .as(invalid)
                    .isEqualTo(400);
        }
        assertThat(node.settle(first, "postpone", "{\"delay\": \"1h\"}").status())
                .isEqualTo(204);

        MessageSnapshot postponed = node.template().find(topic, "a").orElseThrow();
        assertThat(postponed.state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(postponed.attempts()).isZero();
        assertThat(postponed.postponements()).isEqualTo(1);
        assertThat(node.settle(first, "acknowledge", "").status()).isEqualTo(410);
        node.template().reschedule(topic, "a", Duration.ZERO);
        JsonNode second = one(topic);
        assertThat(second.path("attempt").asInt()).isEqualTo(1);
        assertThat(second.path("postponements").asInt()).isEqualTo(1);
    }

    @Test
    void retryHasADelayAndDeadLetterHasTheReason() {
        String topic = topic();
        send(topic, "a");
        node.settle(one(topic), "retry", "{\"delay\": \"1h\"}");
        assertThat(node.template().find(topic, "a").orElseThrow().state()).isEqualTo(MessageState.SCHEDULED);
        node.template().reschedule(topic, "a", Duration.ZERO);
        node.settle(one(topic), "dead-letter", "{\"reason\": \"no such order\"}");

        JsonNode deadLetters = node.get("/topics/" + PathNames.encode(topic) + "/dead-letters")
                .json()
                .path("deadLetters");
        assertThat(deadLetters).hasSize(1);
        assertThat(deadLetters.get(0).path("cause").asString()).isEqualTo("requested");
        assertThat(deadLetters.get(0).path("failure").path("message").asString())
                .isEqualTo("no such order");
    }

    @Test
    void extendCountsFromNow() {
        String topic = topic();
        send(topic, "a");
        JsonNode delivery =
                receive(topic, "{\"wait\": \"20s\", \"lease\": \"1m\"}").get(0);

        assertThat(node.settle(delivery, "extend", "{\"lease\": \"2h\"}").status())
                .isEqualTo(204);

        assertThat(node.template().find(topic, "a").orElseThrow().leaseEnd())
                .isAfter(Instant.parse(delivery.path("leaseEnd").asString()).plusSeconds(3600));
        assertThat(node.settle(delivery, "extend", "{\"lease\": \"25h\"}").status())
                .isEqualTo(400);
    }

    @Test
    void receiptOfAnotherDeliveryIsRejectedLikeALateOne() {
        String topic = topic();
        send(topic, "a");
        Receipt receipt = Receipt.parse(ApiNode.receipt(one(topic)));
        for (Receipt other : List.of(
                new Receipt(topic, "b", receipt.delivery()),
                new Receipt(topic + "x", "a", receipt.delivery()),
                new Receipt(topic, "a", receipt.delivery() + "x"),
                new Receipt(topic, "a", receipt.delivery().substring(1)),
                new Receipt(topic, "a", "x"))) {
            assertThat(node.post("/leases/" + other + "/acknowledge", "").status())
                    .as(other.toString())
                    .isEqualTo(410);
        }
        assertThat(node.template().find(topic, "a")).isPresent();
    }

    @Test
    void firstTopicWithDueMessagesIsReceived() {
        List<String> topics = List.of(topic(), topic(), topic());
        send(topics.get(2), "third");
        send(topics.get(1), "second");
        String body = "{\"topics\": [\"" + String.join("\", \"", topics) + "\"], \"count\": 5, \"wait\": \"20s\"}";

        JsonNode first = node.post("/receive", body).json().path("messages");
        JsonNode second = node.post("/receive", body).json().path("messages");

        assertThat(first).hasSize(1);
        assertThat(first.get(0).path("id").asString()).isEqualTo("second");
        assertThat(second.get(0).path("topic").asString()).isEqualTo(topics.get(2));
    }

    @Test
    void waitEndsWithAMessageOfAnyOfTheTopics() {
        String topic = topic();
        CompletableFuture<Reply> waiting = node.postAsync(
                "/receive", "{\"topics\": [\"" + topic() + "\", \"" + topic + "\"], \"wait\": \"50s\"}", "X", "x");
        await().until(() -> node.bean(LongPolls.class).waiting() == 1);

        send(topic, "a");

        assertThat(waiting.join().json().path("messages").get(0).path("id").asString())
                .isEqualTo("a");
    }

    @Test
    void receiveSettlesEarlierMessages() {
        String topic = topic();
        send(topic, "a");
        String settlement = "{\"receipt\": \"" + ApiNode.receipt(one(topic)) + "\", \"action\": \"acknowledge\"}";
        send(topic, "b");
        String body = "{\"topics\": [\"" + topic + "\"], \"wait\": \"20s\", \"settlements\": [" + settlement + "]}";

        JsonNode next = node.post("/receive", body).json();
        JsonNode repeat = node.post("/receive", body.replace("20s", "0")).json();

        assertThat(next.path("messages").get(0).path("id").asString()).isEqualTo("b");
        assertThat(next.path("results").get(0).path("outcome").asString()).isEqualTo("settled");
        assertThat(node.template().find(topic, "a")).isEmpty();
        assertThat(repeat.path("messages")).isEmpty();
        assertThat(repeat.path("results").get(0).path("outcome").asString()).isEqualTo("lease-lost");
    }

    @Test
    void receiveMayReturnTheMessageThatItSettled() {
        String topic = topic();
        send(topic, "a");
        String receipt = ApiNode.receipt(one(topic));

        JsonNode next = node.post(
                        "/receive",
                        "{\"topics\": [\"" + topic + "\"], \"wait\": \"20s\", \"settlements\": [{\"receipt\": \""
                                + receipt + "\", \"action\": \"retry\"}]}")
                .json();

        assertThat(next.path("messages").get(0).path("attempt").asInt()).isEqualTo(2);
        assertThat(next.path("messages").get(0).path("receipt").asString()).isNotEqualTo(receipt);
        assertThat(next.path("results").get(0).path("outcome").asString()).isEqualTo("settled");
    }

    @Test
    void nothingIsReceivedForADisconnectedClient() {
        String topic = topic();
        List<WaitingClient> clients = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            clients.add(waiting(topic));
        }
        await().until(() -> node.bean(LongPolls.class).waiting() == 5);
        clients.forEach(WaitingClient::close);
        if (version == HttpClient.Version.HTTP_2) { // a response over HTTP/1.1 checks the connection itself
            await().until(() -> node.bean(LongPolls.class).waiting() == 0);
        }
        send(topic, "a");

        JsonNode delivery = one(topic);

        assertThat(delivery.path("attempt").asInt()).isEqualTo(1);
        node.settle(delivery, "acknowledge", "");
        OpenRequests.awaitNoneWaiting(node.context());
    }

    @Test
    void numberOfWaitingClientsIsLimited() {
        String topic = topic();
        send(topic, "a");
        JsonNode leased = one(topic);
        List<WaitingClient> clients = new ArrayList<>();
        for (int i = 0; i < MOST_WAITING; i++) {
            clients.add(waiting(topic));
        }
        await().until(() -> node.bean(LongPolls.class).waiting() == MOST_WAITING);

        Reply rejected = node.receive(
                topic,
                "{\"wait\": \"1s\", \"settlements\": [{\"receipt\": \"" + ApiNode.receipt(leased)
                        + "\", \"action\": \"acknowledge\"}]}");
        clients.forEach(WaitingClient::close);

        assertThat(rejected.status()).isEqualTo(429);
        assertThat(rejected.problem()).isEqualTo("too-many-waiting");
        assertThat(rejected.header("Retry-After")).isEqualTo("1");
        OpenRequests.awaitNoneWaiting(node.context());
        assertThat(node.receive(topic, "{}").status()).isEqualTo(200);
        assertThat(node.settle(leased, "acknowledge", "").status()).isEqualTo(204);
    }

    private WaitingClient waiting(String topic) {
        opened++;
        return WaitingClient.open(version, node.port(), "/app", topic, opened % 2 == 0);
    }

    @Test
    void nextRequestMayArriveTogetherWithTheBodyOfARejectedRequest() {
        String head = "POST /app" + ApiNode.BASE + "/receive HTTP/1.1\r\nHost: x\r\n"
                + "Authorization: Bearer none\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n";
        try (RawClient client = new RawClient(node.port())) {
            client.write(head);
            for (int i = 0; i < 3; i++) {
                assertThat(client.readUntil("HTTP Basic.\"")).startsWith("HTTP/1.1 401");
                client.readUntil("}");
                client.write(" ".repeat(1000) + head);
            }
        }
    }
}
