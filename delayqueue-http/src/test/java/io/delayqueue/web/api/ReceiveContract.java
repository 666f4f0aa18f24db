package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.web.api.ApiNode.Reply;
import io.delayqueue.web.waiting.LongPolls;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.net.http.HttpClient;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Clients that wait and disconnect, and rejected bodies, on a servlet container. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ReceiveContract {

    private final HttpClient.Version version;
    private final String server;
    private final String[] properties;
    private ApiNode node;

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

    /** Over HTTP/1.1 the write fails. Over HTTP/2 the container reports the reset, or the end of the connection. */
    @Test
    void messageOfADisconnectedClientIsReleased() {
        boolean reported = version == HttpClient.Version.HTTP_2;
        long errors = count("outcome", "SERVER_ERROR");
        for (int i = 0; i < 2; i++) {
            String topic = topic();
            long before = count("status", "499");
            AtomicInteger asynchronous = node.bean(ApiApplication.class).asynchronous;
            int begun = asynchronous.get();
            try (WaitingClient client = waiting(topic, !reported || i == 0)) {
                await().until(() -> asynchronous.get() > begun);
            }
            if (reported) {
                await().until(() -> node.bean(LongPolls.class).waiting() == 0 && count("status", "499") > before);
            }
            send(topic, "a");
            await().until(() -> node.bean(LongPolls.class).waiting() == 0); // it was claimed for this client

            await().until(() -> stored(topic).state() == MessageState.READY);
            assertThat(stored(topic).attempts()).isZero();
            assertThat(stored(topic).crashes()).isZero();
            node.settle(node.receiveOne(topic), "acknowledge", "");
        }
        assertThat(count("outcome", "SERVER_ERROR")).isEqualTo(errors);
    }

    private MessageSnapshot stored(String topic) {
        return node.template().find(topic, "a").orElseThrow();
    }

    private long count(String tag, String value) {
        return node.bean(MeterRegistry.class).find("http.server.requests").tag(tag, value).timers().stream()
                .mapToLong(Timer::count)
                .sum();
    }

    private WaitingClient waiting(String topic, boolean resets) {
        return WaitingClient.open(version, node.port(), topic, resets, "{\"wait\": \"50s\", \"lease\": \"1h\"}");
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
