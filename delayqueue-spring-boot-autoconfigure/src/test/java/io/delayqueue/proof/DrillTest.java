package io.delayqueue.proof;

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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import tools.jackson.databind.JsonNode;

/**
 * A drill: an application observes the queue, and workers in other processes fail. Each test prints the seconds until
 * endpoint, health and log show the fault, until the expression of an alert is true, and until the alert fires. The goal
 * is 15 s; the assertions allow three times as much. The alerts are tested if Prometheus is installed, see
 * {@link PrometheusServer}.
 */
abstract class DrillTest {

    static final Duration SEEN = Duration.ofSeconds(45);
    /** How long the start of processes may take on a busy machine. */
    static final Duration START = Duration.ofMinutes(4);

    static final Status DEGRADED = new Status("DEGRADED");

    @TempDir
    private Path directory;

    final RedisServerProcess redis = RedisServerProcess.start();
    EndpointNode observer;
    private final List<DrillWorker> workers = new ArrayList<>();
    DrillWorker worker;

    @Nullable
    PrometheusServer prometheus;

    Instant begin;

    @BeforeEach
    void start() {
        List<String> properties = new ArrayList<>(List.of(
                "delayqueue.namespace=dq",
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + redis.port(),
                "management.endpoints.web.exposure.include=delayqueue,prometheus",
                PrometheusServer.NO_EXEMPLARS,
                "management.endpoint.delayqueue.access=unrestricted"));
        properties.addAll(properties());
        observer = EndpointNode.start(
                WebApplicationType.SERVLET, "/actuator/delayqueue", properties.toArray(String[]::new));
        if (PrometheusServer.isPresent()) {
            prometheus = PrometheusServer.start(directory);
        }
        worker = startWorker();
        startOthers();
        scrapeAll();
        send("orders", 20);
        await().atMost(START)
                .until(() -> topic("orders").path("attempts").path("succeeded").asInt() > 0);
        await().until(() -> overview().path("findings").isEmpty());
        begin = Instant.now();
    }

    /** Starts further workers beside the first. */
    void startOthers() {}

    /** Properties of the observer and of all workers. */
    List<String> properties() {
        return List.of();
    }

    /**
     * Starts a worker.
     *
     * @param properties of this worker alone
     */
    DrillWorker startWorker(String... properties) {
        DrillWorker started = DrillWorker.start(
                redis.port(),
                directory,
                "shop-" + (workers.size() + 1),
                Stream.concat(properties().stream(), Stream.of(properties)).toArray(String[]::new));
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

    void send(String topic, int messages) {
        observer.context()
                .getBean(DelayQueueTemplate.class)
                .sendAll(IntStream.range(0, messages)
                        .mapToObj(i -> DelayMessage.to(topic).payload("text").build())
                        .toList());
    }

    JsonNode overview() {
        return observer.view("").json();
    }

    JsonNode topic(String name) {
        return observer.view("topic", "topic", name).json();
    }

    Health health() {
        return observer.context()
                .getBean("delayqueueHealthIndicator", HealthIndicator.class)
                .health();
    }

    boolean finds(String level, String kind) {
        return overview()
                .path("findings")
                .valueStream()
                .anyMatch(each -> each.path("level").asString().equals(level)
                        && each.path("kind").asString().equals(kind));
    }

    String findings() {
        return overview().path("findings").toString();
    }

    /** Whether there is no finding and no alert, and health is up. */
    boolean isGreen() {
        JsonNode findings = overview().path("findings");
        return findings.isArray()
                && findings.isEmpty()
                && health().getStatus().equals(Status.UP)
                && (prometheus == null || prometheus.alerts().isEmpty());
    }

    void seen(String what, Callable<Boolean> condition) {
        seen(what, SEEN, condition);
    }

    void seen(String what, Duration most, Callable<Boolean> condition) {
        try {
            await().atMost(most).pollInterval(Duration.ofMillis(200)).until(condition);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(what + " was not seen. The worker's log: " + worker.log(), e);
        }
        System.out.printf(
                "drill: %s after %.1f s%n",
                what, Duration.between(begin, Instant.now()).toMillis() / 1000.0);
    }

    void scrapeAll() {
        scrape(workers.toArray(DrillWorker[]::new));
    }

    /** Makes Prometheus scrape the observer and these workers, and waits until it does. */
    void scrape(DrillWorker... workers) {
        if (prometheus == null) {
            return;
        }
        List<Integer> ports = new ArrayList<>();
        ports.add(URI.create(observer.site()).getPort());
        for (DrillWorker each : workers) {
            await("start of a worker").atMost(START).until(() -> each.port().isPresent());
            ports.add(each.port().orElseThrow());
        }
        prometheus.scrape(ports);
        await("scrape of all nodes").atMost(START).until(() -> prometheus.nodes() == ports.size());
    }

    /**
     * Awaits an alert.
     *
     * @param labels as in a selector
     */
    void alerts(String what, String alert, String... labels) {
        alerts(what, SEEN, alert, labels);
    }

    void alerts(String what, Duration most, String alert, String... labels) {
        if (prometheus == null) {
            return;
        }
        String selector = Stream.concat(Stream.of("alertname=\"" + alert + "\""), Stream.of(labels))
                .collect(Collectors.joining(", "));
        await(what + ", " + selector)
                .atMost(most)
                .until(() -> prometheus.first(selector, "firing", begin).isPresent());
        Instant first = prometheus.first(selector, "pending|firing", begin).orElseThrow();
        System.out.printf(
                "drill: %s, expression of %s true after %d s%n",
                what, alert, Duration.between(begin, first).toSeconds());
    }
}
