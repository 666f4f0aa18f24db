package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.actuate.EndpointNode;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.redis.RedisServerProcess;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import tools.jackson.databind.JsonNode;

/**
 * What an operator sees of faults: an application observes the queue, and workers in processes of their own fail. Each
 * test prints the seconds until endpoint, health and log tell of the fault, and until the expression of an alert is true
 * and the alert fires. The goal is 15 s; the assertions allow three times as much. The alerts are tested if Prometheus is
 * installed, see {@link PrometheusServer}.
 */
@Tag("soak")
@Timeout(300)
class DrillTests {

    private static final Duration SEEN = Duration.ofSeconds(45);
    /** How long ordinary load is sent: a minute, or the value of this system property. */
    private static final String ORDINARY_LOAD = "delayqueue.drill.ordinary-load";

    private static final Status DEGRADED = new Status("DEGRADED");

    @TempDir
    private Path directory;

    private final RedisServerProcess redis = RedisServerProcess.start();
    private EndpointNode observer;
    private final List<DrillWorker> workers = new ArrayList<>();
    private DrillWorker worker;
    private @Nullable PrometheusServer prometheus;
    private Instant begin;

    @BeforeEach
    void start() {
        observer = EndpointNode.start(
                WebApplicationType.SERVLET,
                "/actuator/delayqueue",
                "delayqueue.namespace=dq",
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + redis.port(),
                "management.endpoints.web.exposure.include=delayqueue,prometheus",
                PrometheusServer.NO_EXEMPLARS,
                "management.endpoint.delayqueue.access=unrestricted");
        if (PrometheusServer.isPresent()) {
            prometheus = PrometheusServer.start(directory);
        }
        worker = startWorker();
        scrape(worker);
        send("orders", 20);
        await().atMost(Duration.ofMinutes(2))
                .until(() -> topic("orders").path("attempts").path("succeeded").asInt() > 0);
        await().until(() -> overview().path("findings").isEmpty());
        begin = Instant.now();
    }

    private DrillWorker startWorker() {
        DrillWorker started = DrillWorker.start(redis.port(), directory);
        workers.add(started);
        return started;
    }

    @AfterEach
    void stop() {
        if (prometheus != null) {
            prometheus.close();
        }
        workers.forEach(DrillWorker::close);
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
                what, Duration.between(begin, Instant.now()).toMillis() / 1000.0);
    }

    /** Makes Prometheus scrape the observer and these workers, and waits until it does. */
    private void scrape(DrillWorker... workers) {
        if (prometheus == null) {
            return;
        }
        List<Integer> ports = new ArrayList<>();
        ports.add(URI.create(observer.site()).getPort());
        for (DrillWorker each : workers) {
            await().atMost(Duration.ofMinutes(1)).until(() -> each.port().isPresent());
            ports.add(each.port().orElseThrow());
        }
        prometheus.scrape(ports);
        await().atMost(Duration.ofMinutes(1)).until(() -> prometheus.nodes() == ports.size());
    }

    private void alerts(String what, String alert) {
        if (prometheus == null) {
            return;
        }
        await().atMost(SEEN)
                .until(() -> prometheus.first(alert, "firing", begin).isPresent());
        System.out.printf(
                "drill: %s, expression of %s true after %.0f s, alert with a shortened 'for' after %.0f s%n",
                what, alert, secondsUntil(alert, "pending|firing"), secondsUntil(alert, "firing"));
    }

    private double secondsUntil(String alert, String states) {
        Instant first = prometheus.first(alert, states, begin).orElseThrow();
        return Duration.between(begin, first).toMillis() / 1000.0;
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
        alerts("failing handler", "DelayQueueFailing");
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
        alerts("slow handlers", "DelayQueueLagTooHigh");
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
        alerts("killed node", "DelayQueueNodeFailed");
        alerts("killed node, no listener", "DelayQueueTopicWithoutConsumer");
        begin = Instant.now();
        observer.close();
        alerts("no process", "DelayQueueAbsent");
    }

    @Test
    void messageThatKillsItsProcessIsSeen() {
        send("image", 1);
        seen("message that kills its process, end of the process", () -> !worker.isRunning());
        seen("message that kills its process, finding", () -> finds("warning", "node_failed"));
        alerts("message that kills its process", "DelayQueueNodeFailed");
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
        alerts("no listeners", "DelayQueueTopicWithoutConsumer");
    }

    @Test
    void deadLettersStayAFinding() {
        send("mail", 3);
        seen(
                "dead letters, finding",
                () -> finds("warning", "dead_letters") && findings().contains("3 dead letters"));
        seen("dead letters, health", () -> health().getDetails().toString().contains("3 dead letters"));
        assertThat(health().getStatus()).isEqualTo(Status.UP);
        alerts("dead letters", "DelayQueueDeadLettersGrow");
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
            alerts("paused Redis", "DelayQueueRedisErrors");
        } finally {
            redis.resume();
        }
        begin = Instant.now();
        seen("Redis that replies again, log", () -> worker.log().contains("Redis replies again after"));
        seen("Redis that replies again, health", () -> health().getStatus().equals(Status.UP));
    }

    @Test
    @Timeout(900)
    void ordinaryLoadWithRestartsRaisesNoAlarm() {
        Duration length = DurationStyle.detectAndParse(System.getProperty(ORDINARY_LOAD, "60s"));
        DrillWorker second = startWorker();
        awaitNode(second);
        scrape(worker, second);
        begin = Instant.now();
        int restarts = 0;
        while (restarts < 4 || Duration.between(begin, Instant.now()).compareTo(length) < 0) {
            DrillWorker old = worker;
            DrillWorker next;
            if (restarts % 2 == 0) {
                // as in a rolling deployment
                next = startWorker();
                awaitNode(next);
                scrape(old, second, next);
                old.stop();
                ordinaryLoadUntil(() -> !old.isRunning());
            } else {
                old.stop();
                ordinaryLoadUntil(() -> !old.isRunning());
                scrape(second);
                next = startWorker();
                awaitNode(next);
            }
            worker = second;
            second = next;
            scrape(worker, second);
            restarts++;
            long end = System.nanoTime() + length.toNanos() / 12;
            ordinaryLoadUntil(() -> System.nanoTime() > end);
        }
        System.out.printf(
                "drill: ordinary load, %d restarts in %d s%n",
                restarts, Duration.between(begin, Instant.now()).toSeconds());
        if (prometheus != null) {
            System.out.println("drill: ordinary load, pending alerts: " + prometheus.alerts("pending", begin));
            assertThat(prometheus.alerts("firing", begin)).isEmpty();
        }
    }

    private void awaitNode(DrillWorker node) {
        ordinaryLoadUntil(() -> overview()
                .path("nodes")
                .valueStream()
                .anyMatch(each -> each.path("processId").asLong() == node.pid()));
    }

    private void ordinaryLoadUntil(Callable<Boolean> condition) {
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> {
                    sendOrdinaryLoad();
                    assertThat(findings()).doesNotContain("\"critical\"", "\"warning\"");
                    Health health = health();
                    assertThat(health.getStatus()).as(health.toString()).isEqualTo(Status.UP);
                    return condition.call();
                });
    }

    /** Sends ten messages for the next five seconds; the first attempt of one of them fails, and another is slow. */
    private void sendOrdinaryLoad() {
        observer.template()
                .sendAll(IntStream.range(0, 10)
                        .mapToObj(i -> DelayMessage.to("orders")
                                .payload(i == 0 ? DrillWorker.FAILS_ONCE : i == 1 ? DrillWorker.SLOW : "text")
                                .delay(Duration.ofMillis(i * 500L))
                                .build())
                        .toList());
    }
}
