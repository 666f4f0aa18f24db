package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.actuate.EndpointNode;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import tools.jackson.databind.JsonNode;

/**
 * What an operator sees of faults: an application observes the queue, and workers in processes of their own fail. Each
 * test prints the seconds until endpoint, health and log tell of the fault. The goal is 15 s; the assertions allow
 * three times as much.
 */
@Tag("soak")
@Timeout(300)
class DrillTests {

    private static final Duration SEEN = Duration.ofSeconds(45);
    private static final Status DEGRADED = new Status("DEGRADED");

    @TempDir
    private Path directory;

    private final RedisServerProcess redis = RedisServerProcess.start();
    private EndpointNode observer;
    private DrillWorker worker;
    private long begin;

    @BeforeEach
    void start() {
        observer = EndpointNode.start(
                WebApplicationType.SERVLET,
                "/actuator/delayqueue",
                "delayqueue.namespace=dq",
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + redis.port(),
                "management.endpoint.delayqueue.access=unrestricted");
        worker = DrillWorker.start(redis.port(), directory);
        send("orders", 20);
        await().atMost(Duration.ofMinutes(2))
                .until(() -> topic("orders").path("attempts").path("succeeded").asInt() > 0);
        await().until(() -> overview().path("findings").isEmpty());
        begin = System.nanoTime();
    }

    @AfterEach
    void stop() {
        worker.close();
        observer.close();
        redis.close();
    }

    private void send(String topic, int messages) {
        observer.context()
                .getBean(DelayQueueTemplate.class)
                .sendAll(IntStream.range(0, messages)
                        .mapToObj(i -> DelayMessage.to(topic).payload("text").build())
                        .toList());
    }

    private JsonNode overview() {
        return observer.view("").json();
    }

    private JsonNode topic(String name) {
        return observer.view("topic", "topic", name).json();
    }

    private Health health() {
        return observer.context()
                .getBean("delayqueueHealthIndicator", HealthIndicator.class)
                .health();
    }

    private boolean finds(String level, String kind) {
        return overview()
                .path("findings")
                .valueStream()
                .anyMatch(each -> each.path("level").asString().equals(level)
                        && each.path("kind").asString().equals(kind));
    }

    private String findings() {
        return overview().path("findings").toString();
    }

    private void seen(String what, Callable<Boolean> condition) {
        seen(what, SEEN, condition);
    }

    private void seen(String what, Duration most, Callable<Boolean> condition) {
        await().atMost(most).pollInterval(Duration.ofMillis(200)).until(condition);
        System.out.printf(
                "drill: %s after %.1f s%n",
                what, Duration.ofNanos(System.nanoTime() - begin).toMillis() / 1000.0);
    }

    @Test
    void handlerThatThrowsAlwaysIsSeen() {
        send("payment", 40);
        seen("failing handler, finding", () -> finds("critical", "failing"));
        assertThat(findings())
                .contains("0 of", "attempts succeeded in the last minute", "PaymentDown: connection refused");
        seen("failing handler, health", () -> health().getStatus().equals(DEGRADED));
        seen(
                "failing handler, log",
                () -> worker.log().contains("In listener") && worker.log().contains("PaymentDown"));
        assertThat(observer.act("pause", "topic", "payment").status()).isEqualTo(200);
        seen("failing handler, end a minute after the pause", SEEN.plusMinutes(1), () -> !finds("critical", "failing"));
    }

    @Test
    void slowHandlersAreSeenWithTheirCause() {
        send("report", 20);
        seen("slow handlers, finding", () -> finds("critical", "late"));
        assertThat(findings())
                .contains("All 2 permits are used", "the oldest handler has been running for", "The handlers are slow");
        seen("slow handlers, health", () -> health().getStatus().equals(DEGRADED));
        JsonNode listener = overview()
                .path("nodes")
                .valueStream()
                .flatMap(node -> node.path("listeners").valueStream())
                .filter(each -> each.path("topic").asString().equals("report"))
                .findFirst()
                .orElseThrow();
        assertThat(listener.path("oldest").path("id").asString()).isNotEmpty();
        assertThat(listener.path("running").asInt()).isEqualTo(2);
    }

    @Test
    void killedNodeIsSeen() {
        worker.kill();
        seen("killed node, finding", () -> finds("warning", "node_failed"));
        assertThat(findings()).contains("process " + worker.pid());
        seen("killed node, health", () -> health().getDetails().toString().contains("process " + worker.pid()));
        send("orders", 1);
        seen("killed node, no listener", () -> finds("critical", "no_listener"));
        assertThat(findings()).contains("No node listens to any of");
    }

    @Test
    void messageThatKillsItsProcessIsSeen() {
        send("image", 1);
        seen("message that kills its process, end of the process", () -> !worker.isRunning());
        seen("message that kills its process, finding", () -> finds("warning", "node_failed"));
    }

    @Test
    void topicsWithoutListenersAreOneFinding() {
        for (int topic = 0; topic < 30; topic++) {
            send("t" + topic, 1);
        }
        worker.stop();
        seen("no listeners, finding", () -> finds("critical", "no_listener"));
        assertThat(overview().path("findings")).hasSizeLessThanOrEqualTo(5);
        assertThat(findings()).contains("No node listens to any of 35 topics; last seen ");
        seen("no listeners, health", () -> health().getStatus().equals(DEGRADED));
    }

    @Test
    void deadLettersStayAFinding() {
        send("mail", 3);
        seen(
                "dead letters, finding",
                () -> finds("warning", "dead_letters") && findings().contains("3 dead letters"));
        seen("dead letters, health", () -> health().getDetails().toString().contains("3 dead letters"));
        assertThat(health().getStatus()).isEqualTo(Status.UP);
        assertThat(observer.act("start-job", "operation", "purge", "topic", "mail")
                        .status())
                .isEqualTo(200);
        seen("dead letters, end after the purge", () -> !finds("warning", "dead_letters"));
    }

    @Test
    void pausedRedisIsSeen() {
        redis.pause();
        try {
            seen("paused Redis, health", () -> health().getStatus().equals(Status.DOWN));
            seen("paused Redis, endpoint", () -> observer.view("").status() == 503);
            seen("paused Redis, log", () -> worker.log().contains("failed and is retried until it succeeds"));
        } finally {
            redis.resume();
        }
        begin = System.nanoTime();
        seen("Redis that replies again, log", () -> worker.log().contains("Redis replies again after"));
        seen("Redis that replies again, health", () -> health().getStatus().equals(Status.UP));
    }

    @Test
    void stoppedAndStartedNodesRaiseNoAlarm() {
        for (int round = 0; round < 3; round++) {
            DrillWorker next = DrillWorker.start(redis.port(), directory);
            long pid = next.pid();
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> overview()
                            .path("nodes")
                            .valueStream()
                            .anyMatch(node -> node.path("processId").asLong() == pid));
            worker.stop();
            DrillWorker last = worker;
            worker = next;
            await().atMost(Duration.ofMinutes(1))
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> {
                        send("orders", 5);
                        assertThat(List.of("critical", "warning"))
                                .noneMatch(level -> findings().contains("\"" + level + "\""));
                        assertThat(health().getStatus()).isEqualTo(Status.UP);
                        return !last.isRunning();
                    });
        }
    }
}
