package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.web.api.ApiNode.Reply;
import io.delayqueue.web.waiting.LongPolls;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Meters and limits of the clients of both HTTP interfaces, on a servlet container. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RequestMetersContract {

    private static final String SLOW = "the-token-of-a-slow-client";
    private static final String PATIENT = "the-token-of-one-that-waits";

    private final String server;
    private final String[] properties;
    private final String topic = UUID.randomUUID().toString();
    private ApiNode node;

    RequestMetersContract(String server, String... properties) {
        this.server = server;
        this.properties = properties;
    }

    @BeforeAll
    void start() {
        String[] own = {
            "delayqueue.http.compat.enabled=true",
            "delayqueue.http.compat.base-path=/jobs",
            "delayqueue.http.compat.max-wait=100ms",
            "delayqueue.http.max-body-size=1KB",
            "delayqueue.http.max-waiting=7",
            "delayqueue.http.clients.slow.tokens=" + SLOW,
            "delayqueue.http.clients.slow.permissions=produce,consume",
            "delayqueue.http.clients.slow.topics=mine-*",
            "delayqueue.http.clients.slow.requests-per-second=1",
            "delayqueue.http.clients.patient.tokens=" + PATIENT,
            "delayqueue.http.clients.patient.permissions=consume",
            "delayqueue.http.clients.patient.max-waiting=1"
        };
        String[] all = new String[own.length + properties.length];
        System.arraycopy(own, 0, all, 0, own.length);
        System.arraycopy(properties, 0, all, own.length, properties.length);
        node = ApiNode.start(all);
    }

    @AfterAll
    void stop() {
        node.close();
    }

    private Reply job(String token, String verb, String json) {
        return node.exchange(HttpRequest.newBuilder(URI.create(node.site() + "/jobs/" + verb))
                .header("Authorization", "Bearer " + token)
                .POST(BodyPublishers.ofString(json)));
    }

    private double rejected(String client, String reason) {
        return node.bean(MeterRegistry.class)
                .get("delayqueue.http.rejected")
                .tags("client", client, "reason", reason)
                .counter()
                .count();
    }

    private Timer requests(String name, String operation, String status, String client) {
        return node.bean(MeterRegistry.class)
                .get("delayqueue.http.requests")
                .tags("interface", name, "operation", operation, "status", status, "client", client)
                .timer();
    }

    private double gauge(String name) {
        return node.bean(MeterRegistry.class).get(name).gauge().value();
    }

    /** A client may read the response a moment before its request is recorded. */
    private void awaitCount(long count, String name, String operation, String status, String client) {
        await().untilAsserted(() ->
                assertThat(requests(name, operation, status, client).count()).isEqualTo(count));
    }

    private void awaitRejected(double count, String client, String reason) {
        await().untilAsserted(
                        () -> assertThat(rejected(client, reason)).as(reason).isEqualTo(count));
    }

    @Test
    void testsRunOnTheirServer() {
        assertThat(node.server()).startsWithIgnoringCase(server);
    }

    @Test
    void requestsAreTimedByOperationStatusAndClient() {
        node.send(topic, "{\"id\": \"a\", \"payload\": 1}");
        node.send(topic, "{\"id\": \"a\", \"payload\": 1}");
        node.settle(node.receiveOne(topic), "acknowledge", "");
        job(ApiNode.TOKEN, "get", "{\"id\": \"none\"}");
        job(ApiNode.TOKEN, "pop", "{\"topic\": \"" + topic + "\"}");

        awaitCount(1, "api", "send", "2xx", "tests");
        awaitCount(1, "api", "send", "4xx", "tests");
        awaitCount(1, "api", "receive", "2xx", "tests");
        awaitCount(1, "api", "acknowledge", "2xx", "tests");
        awaitCount(1, "compat", "get", "2xx", "tests");
        awaitCount(1, "compat", "pop", "2xx", "tests");
        assertThat(requests("compat", "pop", "2xx", "tests").totalTime(TimeUnit.MILLISECONDS))
                .isGreaterThan(90);
    }

    @Test
    void rejectionsAreCountedByReason() {
        String large = "{\"payload\": \"" + "x".repeat(1100) + "\"}";
        node.exchangeAs("an-unknown-token-of-nobody", "POST", "/receive", "{\"topics\": [\"t\"]}");
        node.send("t", large);
        job("an-unknown-token-of-nobody", "pop", "{}");
        job(ApiNode.TOKEN, "push", large);
        node.exchangeAs(PATIENT, "GET", "/topics/t/dead-letters", "");
        job(PATIENT, "push", "{}");

        awaitRejected(2, "none", "unauthorized");
        awaitRejected(2, "tests", "too_large");
        awaitRejected(2, "patient", "forbidden");
        awaitCount(1, "api", "receive", "4xx", "none");
        awaitCount(1, "compat", "pop", "4xx", "none");
    }

    @Test
    void rateOfAClientIsLimited() {
        Reply rejected = awaitRejection(() -> node.exchangeAs(SLOW, "GET", "/topics/mine-1/messages/a", ""));
        Reply ofJobs = awaitRejection(() -> job(SLOW, "get", "{\"id\": \"1\"}"));

        assertThat(rejected.problem()).isEqualTo("too-many-requests");
        assertThat(rejected.header("Retry-After")).isEqualTo("1");
        assertThat(rejected.detail()).contains("Client 'slow'", "delayqueue.http.clients.slow.requests-per-second");
        assertThat(ofJobs.header("Retry-After")).isEqualTo("1");
        assertThat(ofJobs.text()).startsWith("{\"code\":1,\"message\":\"查询失败: Client 'slow' sends more requests");
        assertThat(node.get("/topics/mine-1/messages/a").status()).isEqualTo(404);
        await().untilAsserted(
                        () -> assertThat(rejected("slow", "too_many_requests")).isGreaterThanOrEqualTo(2));
        await().until(() ->
                node.exchangeAs(SLOW, "GET", "/topics/mine-1/messages/a", "").status() == 404);
    }

    /** On a slow machine more than a second may pass between two requests. */
    private static Reply awaitRejection(Callable<Reply> request) {
        return await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(request, reply -> reply.status() == 429);
    }

    @Test
    void waitingRequestsOfAClientAreLimitedAndMeasured() {
        assertThat(gauge("delayqueue.http.waiting.max")).isEqualTo(7);
        CompletableFuture<Reply> waiting = CompletableFuture.supplyAsync(() ->
                node.exchangeAs(PATIENT, "POST", "/receive", ApiNode.receiving(topic + "-w", "{\"wait\": \"20s\"}")));
        await().until(() -> gauge("delayqueue.http.waiting") == 1);

        Reply second = node.exchangeAs(PATIENT, "POST", "/receive", ApiNode.receiving("t", "{\"wait\": \"20s\"}"));
        Reply pop = job(PATIENT, "pop", "{\"topic\": \"t\"}");
        node.send(topic + "-w", "{\"payload\": 1}");

        assertThat(second.status()).isEqualTo(429);
        assertThat(second.problem()).isEqualTo("too-many-waiting");
        assertThat(second.header("Retry-After")).isEqualTo("1");
        assertThat(pop.text()).contains("client 'patient' (delayqueue.http.clients.patient.max-waiting, 1)");
        assertThat(waiting.orTimeout(30, TimeUnit.SECONDS).join().status()).isEqualTo(200);
        awaitRejected(2, "patient", "too_many_waiting");
        await().atMost(Duration.ofSeconds(10)).until(() -> gauge("delayqueue.http.waiting") == 0);
        assertThat(node.bean(LongPolls.class).waiting()).isZero();
    }
}
