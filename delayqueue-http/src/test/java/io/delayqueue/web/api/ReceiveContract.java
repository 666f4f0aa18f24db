package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.web.api.ApiNode.Reply;
import io.delayqueue.web.waiting.LongPolls;
import io.delayqueue.web.waiting.OpenRequests;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.search.Search;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;

/** Clients that wait and disconnect, and rejected bodies, on a servlet container. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ReceiveContract {

    private final HttpClient.Version version;
    private final String server;
    private final String[] properties;
    private ApiNode node;
    private int opened;

    /** Without properties, the tests use the shared node. */
    ReceiveContract(HttpClient.Version version, String server, String... properties) {
        this.version = version;
        this.server = server;
        this.properties = properties;
    }

    @BeforeAll
    void start() {
        node = properties.length == 0 ? ApiNode.shared() : ApiNode.startLikeShared(properties);
    }

    @AfterAll
    void stop() {
        if (properties.length > 0) {
            node.close();
        }
    }

    private static String topic() {
        return "work/" + UUID.randomUUID();
    }

    private void send(String topic, String id) {
        assertThat(node.send(PathNames.encode(topic), "{\"id\": \"" + id + "\", \"payload\": {\"n\": 1}}")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void testsRunOnTheirServer() {
        assertThat(node.server()).startsWithIgnoringCase(server);
        assertThat(node.receive(topic(), "{}").response().version()).isEqualTo(version);
    }

    @Test
    void waitingClientReceivesAMessageWhenItIsDue() {
        String topic = topic();
        CompletableFuture<Reply> waiting = node.postAsync("/receive", ApiNode.receiving(topic, "{\"wait\": \"50s\"}"));
        await().until(() -> node.bean(LongPolls.class).waiting() == 1);

        send(topic, "a");

        assertThat(waiting.join().text()).contains("\"id\":\"a\"");
    }

    @Test
    void disconnectedClientIsNoServerError() {
        MeterRegistry meters = node.bean(MeterRegistry.class);
        long errors = serverErrors(meters);
        for (int i = 0; i < 2; i++) {
            long before = disconnections(meters);
            try (WaitingClient client = waiting(topic())) {
                await().until(() -> node.bean(LongPolls.class).waiting() == 1);
            }
            OpenRequests.awaitNoneWaiting(node.context());
            await().until(() -> disconnections(meters) > before);
        }
        assertThat(serverErrors(meters)).isEqualTo(errors);
    }

    private static long serverErrors(MeterRegistry meters) {
        return count(meters.find("http.server.requests").tags("outcome", "SERVER_ERROR"));
    }

    private static long disconnections(MeterRegistry meters) {
        return count(meters.find("http.server.requests").tags("status", "499"));
    }

    private static long count(Search search) {
        return search.timers().stream().mapToLong(Timer::count).sum();
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

        JsonNode delivery = node.receiveOne(topic);

        assertThat(delivery.path("attempt").asInt()).isEqualTo(1);
        node.settle(delivery, "acknowledge", "");
        OpenRequests.awaitNoneWaiting(node.context());
    }

    @Test
    void numberOfWaitingClientsIsLimited() {
        String topic = topic();
        send(topic, "a");
        JsonNode leased = node.receiveOne(topic);
        List<WaitingClient> clients = new ArrayList<>();
        for (int i = 0; i < ApiNode.MAX_WAITING; i++) {
            clients.add(waiting(topic));
        }
        await().until(() -> node.bean(LongPolls.class).waiting() == ApiNode.MAX_WAITING);

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
        return WaitingClient.open(version, node.port(), topic, opened % 2 == 0);
    }

    @Test
    void nextRequestMayArriveTogetherWithTheBodyOfARejectedRequest() {
        String head = "POST " + ApiNode.BASE + "/receive HTTP/1.1\r\nHost: x\r\n"
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
