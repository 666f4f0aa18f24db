package io.delayqueue.web.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageState;
import io.delayqueue.store.bench.Dump;
import io.delayqueue.store.bench.RawRedis;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.web.waiting.LongPolls;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/** The interface of ouqiang/delay-queue over a servlet container, as its clients see it. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CompatContract {

    static final String NOTHING = "{\"code\":0,\"message\":\"操作成功\",\"data\":null}";

    private CompatNode node;

    abstract String server();

    @BeforeAll
    void start() {
        // a third of it is how long leases are left alone on a topic that nobody looked at before
        node = CompatNode.start(
                server(),
                "/dq",
                "delayqueue.listener.lease=3s",
                "delayqueue.http.compat.max-wait=3s",
                "delayqueue.http.max-body-size=10KB");
    }

    @AfterAll
    void stop() {
        node.close();
    }

    private static String failure(String message) {
        return "{\"code\":1,\"message\":\"" + message + "\",\"data\":null}";
    }

    private static String job(String id, String body) {
        return "{\"code\":0,\"message\":\"操作成功\",\"data\":{\"id\":\"" + id + "\",\"body\":\"" + body + "\"}}";
    }

    /** From push to finish, as the original's README tells it. */
    @Test
    void aJobIsDeliveredAgainAfterItsTimeToRunUntilItIsFinished() {
        node.push("flow", "f1", 1, 1, "{\\\"order\\\":1}");
        Instant pushed = Instant.now();

        assertThat(node.ask("pop", "{\"topic\":\"flow\"}")).isEqualTo(job("f1", "{\\\"order\\\":1}"));
        assertThat(Duration.between(pushed, Instant.now())).isGreaterThan(Duration.ofMillis(900));
        Instant popped = Instant.now();
        assertThat(node.ask("pop", "{\"topic\":\"flow\"}")).isEqualTo(job("f1", "{\\\"order\\\":1}"));
        System.out.println("again after " + Duration.between(popped, Instant.now()) + " of a ttr of 1 s");
        assertThat(node.ask("finish", "{\"id\":\"f1\"}")).isEqualTo(NOTHING);
        assertThat(node.ask("get", "{\"id\":\"f1\"}")).isEqualTo(NOTHING);
        assertThat(node.ask("finish", "{\"id\":\"f1\"}")).isEqualTo(NOTHING);
        assertThat(node.ask("pop", "{\"topic\":\"flow\"}")).isEqualTo(NOTHING);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "push|{}|job id不能为空",
                "push|null|job id不能为空",
                "push||解析json失败",
                "push|[]|解析json失败",
                "push|{\"id\":\" \\u0085 \"}|job id不能为空",
                "push|{\"id\":\"1\",\"delay\":\"x\"}|解析json失败",
                "push|{\"id\":\"1\"}|topic 不能为空",
                "push|{\"id\":\"1\",\"topic\":\"t\"}|delay 取值范围1 - (2^31 - 1)",
                "push|{\"id\":\"1\",\"topic\":\"t\",\"delay\":-1,\"ttr\":0}|delay 取值范围1 - (2^31 - 1)",
                "push|{\"id\":\"1\",\"topic\":\"t\",\"delay\":2147483649,\"ttr\":1}|delay 取值范围1 - (2^31 - 1)",
                "push|{\"id\":\"1\",\"topic\":\"t\",\"delay\":1}|ttr 取值范围1 - 86400",
                "push|{\"id\":\"1\",\"topic\":\"t\",\"delay\":1,\"ttr\":86401}|ttr 取值范围1 - 86400",
                "pop|{}|topic不能为空",
                "pop|{\"topic\":\" \"}|topic不能为空",
                "pop|{\"topic\":\",\"}|topic不能为空",
                "pop|{\"topic\":1}|解析json失败",
                "finish|{}|job id不能为空",
                "delete|{\"id\":\"\"}|job id不能为空",
                "get|{\"id\":null}|job id不能为空",
                "get|{\"id\":1}|解析json失败"
            })
    void whatIsWrongIsToldInTheWordsThatClientsKnow(String verb, String json, String message) {
        assertThat(node.ask(verb, json == null ? "" : json)).isEqualTo(failure(message));
    }

    @Test
    void aJobIsLookedAt() {
        long before = Instant.now().getEpochSecond();
        node.push("look", " l1 ", 2147483648L, 86400, "  <a>&amp; ");
        String found = node.ask("get", "{\"ID\":\"l1\"}");

        assertThat(found)
                .matches(
                        "\\{\"code\":0,\"message\":\"操作成功\",\"data\":\\{\"topic\":\"look\",\"id\":\"l1\",\"delay\":\\d+,"
                                + "\"ttr\":86400,\"body\":\"\\\\u003ca\\\\u003e\\\\u0026amp;\"}}");
        long due = Long.parseLong(found.replaceAll(".*\"delay\":(\\d+).*", "$1"));
        assertThat(due).isBetween(before + 2147483648L, before + 2147483648L + 30);
        assertThat(node.ask("delete", "{\"id\":\"l1\"}")).isEqualTo(NOTHING);
        assertThat(node.ask("get", "{\"id\":\"l1\"}")).isEqualTo(NOTHING);
    }

    @Test
    void finishOfAnOldJobSparesANewPush() {
        node.push("again", "n1", 1, 60, "old");
        assertThat(node.ask("pop", "{\"topic\":\"again\"}")).isEqualTo(job("n1", "old"));
        node.push("again", "n1", 3600, 60, "new");

        assertThat(node.ask("finish", "{\"id\":\"n1\"}")).isEqualTo(NOTHING);

        assertThat(node.ask("get", "{\"id\":\"n1\"}")).contains("\"body\":\"new\"");
        node.template().reschedule("again", "n1", Duration.ZERO);
        assertThat(node.ask("pop", "{\"topic\":\"again\"}")).isEqualTo(job("n1", "new"));
        assertThat(node.ask("finish", "{\"id\":\"n1\"}")).isEqualTo(NOTHING);
        assertThat(node.ask("get", "{\"id\":\"n1\"}")).isEqualTo(NOTHING);
    }

    @Test
    void aSecondPushReplacesUnderWhateverTopic() {
        node.push("first", "r1", 3600, 5, "one");
        node.push("second", "r1", 1, 5, "two");

        assertThat(node.template().find("first", "r1")).isEmpty();
        assertThat(node.ask("pop", "{\"topic\":\"first,second\"}")).isEqualTo(job("r1", "two"));
        node.ask("finish", "{\"id\":\"r1\"}");
    }

    @Test
    void idThatMeansSomethingWhereItIsStoredIsNobodysJob() {
        node.push("forged", "g1", 3600, 5, "one");
        node.push("forged", "g2", 1, 60, "two");
        assertThat(node.ask("pop", "{\"topic\":\"forged\"}")).isEqualTo(job("g2", "two"));
        int port = node.bean(DataRedisConnectionDetails.class).getStandalone().getPort();
        try (RawRedis redis = new RawRedis(port)) {
            String before = stored(redis);
            assertThat(before).contains("g1", "g2");

            for (String id : List.of("-", "=", "@", "+1", "-1", "0", "topic", "g1@-", "%00", "~".repeat(257))) {
                for (String verb : List.of("finish", "delete", "get")) {
                    assertThat(node.ask(verb, "{\"id\":\"" + id + "\"}"))
                            .as(verb + " " + id)
                            .endsWith("\"data\":null}");
                }
            }

            assertThat(stored(redis)).isEqualTo(before);
        }
        List.of("g1", "g2").forEach(id -> node.ask("delete", "{\"id\":\"" + id + "\"}"));
    }

    /** All keys of the topic but the bookkeeping of who polls. */
    private String stored(RawRedis redis) {
        String namespace = node.context().getEnvironment().getRequiredProperty("delayqueue.namespace");
        return Dump.of(redis, namespace + ":{forged")
                .lines()
                .filter(line -> !line.contains("meta\""))
                .collect(Collectors.joining("\n"));
    }

    @Test
    void topicsAreServedInTheirOrderAndNotTrimmed() {
        node.template().send(message("b", "o1", "low"));
        node.template().send(message("a", "o2", "high"));
        node.template().send(message(" c", "o3", "blank"));

        assertThat(node.ask("pop", "{\"topic\":\"a,b\"}")).isEqualTo(job("o2", "high"));
        assertThat(node.ask("pop", "{\"topic\":\"a,b\"}")).isEqualTo(job("o1", "low"));
        assertThat(node.ask("pop", "{\"topic\":\"a, c\"}")).isEqualTo(job("o3", "blank"));
        List.of("o1", "o2", "o3").forEach(id -> node.ask("finish", "{\"id\":\"" + id + "\"}"));
        assertThat(node.template().find("a", "o2")).isEmpty();
        assertThat(node.template().find("b", "o1")).isEmpty();
    }

    private static DelayMessage message(String topic, String id, String payload) {
        return DelayMessage.to(topic).id(id).payload(payload).build();
    }

    @Test
    void javaAndClientsShareTheirJobs() {
        node.push("mixed", "m1", 1, 60, "from a client");
        List<LeasedDelivery> received =
                node.bean(DelayQueueReceiver.class).receive("mixed", 1, Duration.ofSeconds(30), Duration.ofSeconds(5));
        assertThat(received).hasSize(1);
        assertThat(received.get(0).payload(String.class)).isEqualTo("from a client");
        assertThat(received.get(0).acknowledge().join()).isTrue();
        assertThat(node.ask("get", "{\"id\":\"m1\"}")).isEqualTo(NOTHING);

        node.template().send(message("mixed", "m2", "from Java"));
        assertThat(node.ask("pop", "{\"topic\":\"mixed\"}")).isEqualTo(job("m2", "from Java"));
        assertThat(node.ask("get", "{\"id\":\"m2\"}")).contains("\"topic\":\"mixed\"", "\"ttr\":3,");
        assertThat(node.ask("finish", "{\"id\":\"m2\"}")).isEqualTo(NOTHING);
        assertThat(node.template().find("mixed", "m2")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "PUT", "DELETE", "PATCH", "OPTIONS"})
    void anyMethodWillDo(String method) {
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
    void otherPathsAreUnknownOrTheApplications() {
        assertThat(node.exchange("POST", "/dq/nothing", "{}").statusCode()).isEqualTo(404);
        assertThat(node.exchange("POST", "/dq", "{}").statusCode()).isEqualTo(404);
        assertThat(node.exchange("POST", "/dq/push/", "{}").statusCode()).isEqualTo(404);
        assertThat(node.exchange("GET", "/own", "").body()).isEqualTo("own page");
        assertThat(node.exchange("GET", "/push/own", "").body()).isEqualTo("own page");
    }

    @Test
    void limitsAreToldWithStatus200() {
        String large = "{\"id\":\"1\",\"topic\":\"t\",\"delay\":1,\"ttr\":1,\"body\":\"" + "x".repeat(11_000) + "\"}";
        assertThat(node.askApart("push", large)).contains("\"code\":1").contains("delayqueue.http.max-body-size");
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

    @Test
    void disconnectedClientReceivesNothingAndTheNextOneDoes() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.port())) {
            String body = "{\"topic\":\"hang\"}";
            socket.getOutputStream()
                    .write(("POST /dq/pop HTTP/1.1\r\nHost: here\r\nContent-Length: " + body.length() + "\r\n\r\n"
                                    + body)
                            .getBytes(StandardCharsets.UTF_8));
            await().until(() -> node.bean(LongPolls.class).waiting() == 1);
        }
        await().untilAsserted(() -> assertThat(node.bean(MeterRegistry.class)
                        .find("http.server.requests")
                        .meters())
                .extracting(timer -> timer.getId().getTag("status"))
                .contains("499"));
        node.template().send(message("hang", "h1", "x"));
        assertThat(node.ask("pop", "{\"topic\":\"hang\"}")).isEqualTo(job("h1", "x"));
        assertThat(node.template().find("hang", "h1")).hasValueSatisfying(found -> {
            assertThat(found.attempts()).isEqualTo(1);
            assertThat(found.state()).isEqualTo(MessageState.LEASED);
        });
        node.ask("finish", "{\"id\":\"h1\"}");
    }

    @Test
    void whoWaitsIsAnsweredAtOnce() throws Exception {
        CompletableFuture<String> waiting = node.askAsync("pop", "{\"topic\":\"wait\"}");
        await().until(() -> node.bean(LongPolls.class).waiting() == 1);
        node.template().send(message("wait", "w1", "x"));
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(job("w1", "x"));
        node.ask("delete", "{\"id\":\"w1\"}");
    }
}
