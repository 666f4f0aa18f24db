package io.delayqueue.web.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Responses while Redis is unavailable. */
@Timeout(120)
@Tag("long")
@Tag("http")
class CompatOutageTests {

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
            await().untilAsserted(() -> node.push("t", "1", 1, 60, "x"));
            proxy.blackHole(Direction.values());

            Instant begin = Instant.now();
            for (String verb : List.of("push", "finish", "delete", "get", "pop")) {
                String response = node.ask(verb, "{\"topic\":\"t\",\"id\":\"1\",\"delay\":1,\"ttr\":1}");
                assertThat(response).startsWith("{\"code\":1,\"message\":\"").contains("失败: ");
            }
            Duration told = Duration.between(begin, Instant.now());
            System.out.println("five responses while Redis was unavailable, timeout 1 s, within " + told);
            assertThat(told).isLessThan(Duration.ofSeconds(30));

            proxy.pass();
            await().until(() -> node.ask("pop", "{\"topic\":\"t\"}").contains("\"id\":\"1\""));
            assertThat(node.ask("finish", "{\"id\":\"1\"}")).isEqualTo(CompatContract.NOTHING);
            assertThat(node.template().find("t", "1")).isEmpty();
            assertThat(node.ask("pop", "{\"topic\":\"t\"}")).isEqualTo(CompatContract.NOTHING);
        }
    }
}
