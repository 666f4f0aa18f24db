package io.delayqueue.web.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.web.waiting.LongPolls;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The interface as a whole: its paths, its access control, and its behaviour while Redis is unavailable. */
@Timeout(120)
class CompatInterfaceTests {

    private static final String PRODUCE = "produce-0123456789";
    private static final String CONSUME = "consume-0123456789";

    @Test
    void interfaceIsOffUnlessEnabled() {
        try (CompatNode node = CompatNode.start("tomcat", "", "delayqueue.http.compat.enabled=false")) {
            assertThat(node.exchange("POST", "/push", "{}").statusCode()).isEqualTo(404);
            assertThat(node.exchange("POST", "/get", "{}").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void applicationKeepsItsPagesWithoutABasePath() {
        try (CompatNode node = CompatNode.start(
                "tomcat",
                "",
                "delayqueue.http.clients.producer.tokens=" + PRODUCE,
                "delayqueue.http.clients.producer.permissions=produce",
                "delayqueue.http.clients.consumer.tokens=" + CONSUME,
                "delayqueue.http.clients.consumer.permissions=consume",
                "delayqueue.http.compat.content-type=application/json")) {
            assertThat(node.exchange("GET", "/own", "").body()).isEqualTo("own page");
            assertThat(node.exchange("GET", "/push/own", "").body()).isEqualTo("own page");
            assertThat(node.exchange("GET", "/nothing", "").statusCode()).isEqualTo(404);

            String push = "{\"topic\":\"t\",\"id\":\"1\",\"delay\":3600,\"ttr\":1}";
            assertThat(node.exchange("POST", "/push", push).statusCode()).isEqualTo(401);
            HttpResponse<String> rejected = with(node, CONSUME, "/push", push);
            assertThat(rejected.statusCode()).isEqualTo(403);
            assertThat(rejected.body())
                    .startsWith(
                            "{\"code\":1,\"message\":\"添加失败: Client 'consumer' lacks the required permission: produce or admin.");
            HttpResponse<String> pushed = with(node, PRODUCE, "/push", push);
            assertThat(pushed.body()).contains("添加成功");
            assertThat(pushed.headers().firstValue("Content-Type"))
                    .hasValueSatisfying(type -> assertThat(type).startsWith("application/json"));
            assertThat(with(node, PRODUCE, "/pop", "{\"topic\":\"t\"}").statusCode())
                    .isEqualTo(403);
            assertThat(with(node, PRODUCE, "/finish", "{\"id\":\"1\"}").statusCode())
                    .isEqualTo(403);
            assertThat(with(node, PRODUCE, "/get", "{\"id\":\"1\"}").body()).contains("\"topic\":\"t\"");
            assertThat(with(node, CONSUME, "/get", "{\"id\":\"1\"}").body()).contains("\"topic\":\"t\"");
            assertThat(with(node, CONSUME, "/finish", "{\"id\":\"1\"}").body()).isEqualTo(CompatContract.NOTHING);
        }
    }

    @Test
    void clientHasAccessToItsTopicsOnly() {
        try (CompatNode node = CompatNode.start(
                "tomcat",
                "",
                "delayqueue.listener.lease=3s",
                "delayqueue.http.compat.max-wait=10s",
                "delayqueue.http.clients.all.tokens=" + PRODUCE,
                "delayqueue.http.clients.all.permissions=produce,consume",
                "delayqueue.http.clients.orders.tokens=" + CONSUME,
                "delayqueue.http.clients.orders.permissions=produce,consume",
                "delayqueue.http.clients.orders.topics=order-*")) {
            String foreign = "{\"topic\":\"refund\",\"id\":\"1\",\"delay\":3600,\"ttr\":60,\"body\":\"x\"}";
            String own = foreign.replace("refund", "order-1");
            assertForbidden(with(node, CONSUME, "/push", foreign));
            assertThat(with(node, CONSUME, "/get", "{\"id\":\"1\"}").body()).isEqualTo(CompatContract.NOTHING);
            assertThat(with(node, PRODUCE, "/push", foreign).body()).contains("添加成功");

            assertForbidden(with(node, CONSUME, "/push", own));
            assertForbidden(with(node, CONSUME, "/get", "{\"id\":\"1\"}"));
            assertForbidden(with(node, CONSUME, "/delete", "{\"id\":\"1\"}"));
            assertForbidden(with(node, CONSUME, "/finish", "{\"id\":\"1\"}"));
            assertForbidden(with(node, CONSUME, "/pop", "{\"topic\":\"order-1,refund\"}"));
            assertThat(node.template().find("refund", "1")).isPresent();
            assertThat(node.template().find("order-1", "1")).isEmpty();

            assertThat(with(
                                    node,
                                    CONSUME,
                                    "/push",
                                    own.replace("\"1\"", "\"2\"").replace("3600", "1"))
                            .body())
                    .contains("添加成功");
            assertThat(with(node, CONSUME, "/get", "{\"id\":\"2\"}").body()).contains("\"topic\":\"order-1\"");
            assertThat(with(node, CONSUME, "/pop", "{\"topic\":\"order-0,order-1\"}")
                            .body())
                    .isEqualTo(CompatContract.job("2", "x"));
            assertThat(with(node, CONSUME, "/finish", "{\"id\":\"2\"}").body()).isEqualTo(CompatContract.NOTHING);
            assertThat(node.template().find("order-1", "2")).isEmpty();
        }
    }

    private static void assertForbidden(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(403);
        assertThat(response.body())
                .startsWith("{\"code\":1,\"message\":\"")
                .contains("失败: Client 'orders' has no access to topic 'refund'. Use a topic that"
                        + " delayqueue.http.clients.orders.topics permits, or add this one.");
    }

    private static HttpResponse<String> with(CompatNode node, String token, String path, String body) {
        return node.exchange("POST", path, body, "Authorization", "Bearer " + token);
    }

    @Test
    void jobIsDeadLetteredAfterTheMaximumAttempts() {
        try (CompatNode node = CompatNode.start("tomcat", "/dq", "delayqueue.http.compat.max-attempts=2")) {
            node.push("cap", "c1", 1, 1, "x");
            node.template().reschedule("cap", "c1", Duration.ZERO);
            for (int i = 0; i < 2; i++) {
                assertThat(node.ask("pop", "{\"topic\":\"cap\"}")).contains("\"id\":\"c1\"");
            }
            CompletableFuture<String> third = node.askAsync("pop", "{\"topic\":\"cap\"}");
            await().atMost(Duration.ofSeconds(60))
                    .until(
                            () -> node.bean(DelayQueueAdmin.class).counts("cap").toString(),
                            has -> has.contains("dead=1"));
            assertThat(third).isNotDone();
            assertThat(node.ask("get", "{\"id\":\"c1\"}")).isEqualTo(CompatContract.NOTHING);
        }
    }

    @Test
    void waitsAreLimitedAndEndWithTheApplication() throws Exception {
        List<CompletableFuture<String>> waiting = new ArrayList<>();
        Instant closing;
        try (CompatNode node = CompatNode.start(
                "jetty", "/dq", "delayqueue.http.max-waiting=3", "delayqueue.http.compat.max-wait=60s")) {
            for (int i = 0; i < 3; i++) {
                waiting.add(node.askAsync("pop", "{\"topic\":\"t" + i + "\"}"));
            }
            await().until(() -> node.bean(LongPolls.class).waiting() == 3);
            assertThat(node.ask("pop", "{\"topic\":\"t\"}"))
                    .startsWith(
                            "{\"code\":1,\"message\":\"获取Job失败: The maximum number of clients (delayqueue.http.max-waiting, 3) already waits");
            assertThat(node.ask("get", "{\"id\":\"x\"}")).isEqualTo(CompatContract.NOTHING);
            closing = Instant.now();
        }
        for (CompletableFuture<String> response : waiting) {
            assertThat(response.get(30, TimeUnit.SECONDS)).isEqualTo(CompatContract.NOTHING);
        }
        Duration closed = Duration.between(closing, Instant.now());
        System.out.println("closed with three that waited within " + closed);
        assertThat(closed).isLessThan(Duration.ofSeconds(30));
    }

    @Test
    void outageIsReported() {
        try (RedisServerProcess server = RedisServerProcess.start();
                FaultProxy proxy = FaultProxy.inFrontOf(server);
                CompatNode node = CompatNode.start(
                        "tomcat",
                        "/dq",
                        "spring.data.redis.host=" + proxy.host(),
                        "spring.data.redis.port=" + proxy.port(),
                        "delayqueue.redis.command-timeout=1s",
                        "delayqueue.http.compat.max-wait=1s")) {
            // the first calls may take longer than the short timeout
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> node.push("t", "1", 1, 60, "x"));
            proxy.blackHole(Direction.values());

            Instant begin = Instant.now();
            for (String verb : List.of("push", "finish", "delete", "get", "pop")) {
                String response = node.ask(verb, "{\"topic\":\"t\",\"id\":\"1\",\"delay\":1,\"ttr\":1}");
                assertThat(response).startsWith("{\"code\":1,\"message\":\"").contains("失败: ");
            }
            Duration told = Duration.between(begin, Instant.now());
            System.out.println("five responses while Redis was unavailable, timeout 1 s, within " + told);
            assertThat(told).isLessThan(Duration.ofSeconds(18));

            proxy.pass();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> node.ask("pop", "{\"topic\":\"t\"}").contains("\"id\":\"1\""));
            assertThat(node.ask("finish", "{\"id\":\"1\"}")).isEqualTo(CompatContract.NOTHING);
            assertThat(node.template().find("t", "1")).isEmpty();
            assertThat(node.ask("pop", "{\"topic\":\"t\"}")).isEqualTo(CompatContract.NOTHING);
        }
    }
}
