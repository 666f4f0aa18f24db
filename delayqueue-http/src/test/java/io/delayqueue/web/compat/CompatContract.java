package io.delayqueue.web.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.web.waiting.Http2Client;
import io.delayqueue.web.waiting.LongPolls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The interface of ouqiang/delay-queue on a servlet container, as far as the container matters. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CompatContract {

    static final String NOTHING = "{\"code\":0,\"message\":\"操作成功\",\"data\":null}";

    private CompatNode node;

    abstract String server();

    boolean isHttp2() {
        return false;
    }

    @BeforeAll
    void start() {
        node = isShared() ? CompatNode.shared() : CompatNode.startLikeShared(server(), isHttp2());
    }

    @AfterAll
    void stop() {
        if (!isShared()) {
            node.close();
        }
    }

    private boolean isShared() {
        return server().equals("tomcat") && !isHttp2();
    }

    static String job(String id, String body) {
        return "{\"code\":0,\"message\":\"操作成功\",\"data\":{\"id\":\"" + id + "\",\"body\":\"" + body + "\"}}";
    }

    /** From push to finish, as in the original's README. */
    @Test
    void jobIsRedeliveredAfterItsTimeToRun() {
        node.push("flow", "f1", 1, 1, "{\\\"order\\\":1}");

        assertThat(node.ask("pop", "{\"topic\":\"flow\"}")).isEqualTo(job("f1", "{\\\"order\\\":1}"));
        assertThat(node.ask("pop", "{\"topic\":\"flow\"}")).isEqualTo(job("f1", "{\\\"order\\\":1}"));
        assertThat(node.ask("finish", "{\"id\":\"f1\"}")).isEqualTo(NOTHING);
        assertThat(node.ask("get", "{\"id\":\"f1\"}")).isEqualTo(NOTHING);
        assertThat(node.ask("finish", "{\"id\":\"f1\"}")).isEqualTo(NOTHING);
    }

    /** An application in Java sends what changed while the job was handled. */
    @Test
    void successorOfAFinishedJobIsPopped() {
        node.push("after", "s1", 1, 60, "x");
        assertThat(node.ask("pop", "{\"topic\":\"after\"}")).isEqualTo(job("s1", "x"));
        node.template()
                .send(DelayMessage.to("after")
                        .id("s1")
                        .payload("next")
                        .onDuplicate(OnDuplicate.AFTER_RUNNING)
                        .build());

        assertThat(node.ask("finish", "{\"id\":\"s1\"}")).isEqualTo(NOTHING);
        assertThat(node.ask("finish", "{\"id\":\"s1\"}"))
                .as("repeated, as a client does that got no response")
                .isEqualTo(NOTHING);

        assertThat(node.ask("pop", "{\"topic\":\"after\"}")).isEqualTo(job("s1", "next"));
        assertThat(node.ask("finish", "{\"id\":\"s1\"}")).isEqualTo(NOTHING);
        assertThat(node.template().find("after", "s1")).isEmpty();
    }

    @Test
    void delayIsInSeconds() {
        node.push("later", "l1", 100, 60, "x");

        MessageSnapshot stored = node.template().find("later", "l1").orElseThrow();
        assertThat(Duration.between(stored.envelope().sentAt(), stored.dueAt())).isEqualTo(Duration.ofSeconds(100));
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "PUT", "DELETE", "PATCH", "OPTIONS"})
    void anyHttpMethodIsAccepted(String method) {
        for (String type : List.of("application/x-www-form-urlencoded", "text/plain", "multipart/form-data", "?")) {
            HttpResponse<String> response =
                    node.exchange(method, "/dq/finish", "{\"id\":\"any\"}", "Content-Type", type);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body()).isEqualTo(NOTHING);
            assertThat(response.headers().firstValue("Content-Type").orElse("").replace(" ", ""))
                    .isEqualToIgnoringCase("text/plain;charset=utf-8");
        }
    }

    @Test
    void otherPathsBelongToTheApplication() {
        assertThat(node.exchange("POST", "/dq/nothing", "{}").statusCode()).isEqualTo(404);
        assertThat(node.exchange("POST", "/dq", "{}").statusCode()).isEqualTo(404);
        assertThat(node.exchange("POST", "/dq/push/", "{}").statusCode()).isEqualTo(404);
        assertThat(node.exchange("GET", "/own", "").body()).isEqualTo("own page");
        assertThat(node.exchange("GET", "/push/own", "").body()).isEqualTo("own page");
    }

    @Test
    void limitsAreToldWithStatus200() {
        String large = "{\"id\":\"1\",\"topic\":\"t\",\"delay\":1,\"ttr\":1,\"body\":\"" + "x".repeat(11_000) + "\"}";
        assertThat(node.ask("push", large)).contains("\"code\":1").contains("delayqueue.http.max-body-size");
        assertThat(node.ask("push", "{\"id\":\"" + "i".repeat(300) + "\",\"topic\":\"t\",\"delay\":1,\"ttr\":1}"))
                .contains("\"code\":1")
                .contains("添加失败: A message id must have at most 256 bytes");
        assertThat(node.ask("pop", "{\"topic\":\"" + "t".repeat(200) + "\"}"))
                .contains("获取Job失败: A topic must have at most 128 bytes");
        String many =
                String.join(",", IntStream.range(0, 101).mapToObj(i -> "t" + i).toList());
        assertThat(node.ask("pop", "{\"topic\":\"" + many + "\"}"))
                .contains("获取Job失败")
                .contains("100 topics");
    }

    /** The write fails, or the container reports the reset, as over HTTP/2. */
    @Test
    void jobOfADisconnectedClientIsReleased() throws Exception {
        try (AutoCloseable client = waiting("hang")) {
            await().until(() -> node.bean(LongPolls.class).waiting() == 1);
        }
        if (isHttp2()) {
            // before the message: a response that is written before the reset arrives is handed over
            await().until(() -> node.bean(LongPolls.class).waiting() == 0);
        }
        node.template().send(DelayMessage.to("hang").id("h1").payload("x").build());
        await().until(() -> node.bean(LongPolls.class).waiting() == 0);
        assertThat(node.ask("pop", "{\"topic\":\"hang\"}")).isEqualTo(job("h1", "x"));
        assertThat(node.template().find("hang", "h1")).hasValueSatisfying(found -> {
            assertThat(found.attempts()).isEqualTo(1);
            assertThat(found.state()).isEqualTo(MessageState.LEASED);
        });
        node.ask("finish", "{\"id\":\"h1\"}");
    }

    private AutoCloseable waiting(String topic) throws IOException {
        String body = "{\"topic\":\"" + topic + "\"}";
        if (isHttp2()) {
            Http2Client client = new Http2Client(node.port());
            client.post("/dq/pop", Map.of(), body);
            return client::reset;
        }
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.port());
        socket.setSoLinger(true, 0); // resets the connection, so that the server's next write fails
        socket.getOutputStream()
                .write(("POST /dq/pop HTTP/1.1\r\nHost: here\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                        .getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    @Test
    void waitingClientReceivesAJobWhenItIsDue() throws Exception {
        CompletableFuture<String> waiting = node.askAsync("pop", "{\"topic\":\"wait\"}");
        await().until(() -> node.bean(LongPolls.class).waiting() == 1);
        node.template().send(DelayMessage.to("wait").id("w1").payload("x").build());
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isEqualTo(job("w1", "x"));
        node.ask("delete", "{\"id\":\"w1\"}");
    }
}
