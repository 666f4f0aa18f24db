package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.web.api.ApiNode.Reply;
import io.delayqueue.web.waiting.LongPolls;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Meters and limits of the clients of both HTTP interfaces. */
@Timeout(120)
class RequestMetersTests {

    private final ApiNode node = ApiNode.shared();
    private final String topic = UUID.randomUUID().toString();

    private double rejected(String client, String reason) {
        Counter counter = node.bean(MeterRegistry.class)
                .find("delayqueue.http.rejected")
                .tags("client", client, "reason", reason)
                .counter();
        return counter == null ? 0 : counter.count();
    }

    private long requests(String name, String operation, String status, String client) {
        Timer timer = node.bean(MeterRegistry.class)
                .find("delayqueue.http.requests")
                .tags("interface", name, "operation", operation, "status", status, "client", client)
                .timer();
        return timer == null ? 0 : timer.count();
    }

    private double gauge(String name) {
        return node.bean(MeterRegistry.class).get(name).gauge().value();
    }

    /** A client may read the response a moment before its request is recorded. */
    private void awaitCount(long count, String name, String operation, String status, String client) {
        await().untilAsserted(() ->
                assertThat(requests(name, operation, status, client)).isEqualTo(count));
    }

    private void awaitRejected(double count, String client, String reason) {
        await().untilAsserted(
                        () -> assertThat(rejected(client, reason)).as(reason).isEqualTo(count));
    }

    @Test
    void requestsAreTimedByOperationStatusAndClient() {
        String message = "{\"id\": \"a\", \"payload\": 1, \"delay\": \"1h\"}";
        String path = "/topics/" + topic + "/messages";
        node.exchangeAs(ApiNode.MEASURED, "POST", path, message);
        node.exchangeAs(ApiNode.MEASURED, "POST", path, message);
        node.exchangeAs(ApiNode.MEASURED, "POST", "/receive", ApiNode.receiving(topic, "{}"));
        node.job(ApiNode.MEASURED, "get", "{\"id\": \"none\"}");
        node.job(ApiNode.MEASURED, "pop", "{\"topic\": \"" + topic + "\"}");

        awaitCount(1, "api", "send", "2xx", "measured");
        awaitCount(1, "api", "send", "4xx", "measured");
        awaitCount(1, "api", "receive", "2xx", "measured");
        awaitCount(1, "compat", "get", "2xx", "measured");
        awaitCount(1, "compat", "pop", "2xx", "measured");
    }

    @Test
    void rejectionsAreCountedByReason() {
        String unknown = "an-unknown-token-of-nobody";
        String large = "{\"payload\": \"" + "x".repeat(2 * 1024 * 1024) + "\"}";
        double unauthorized = rejected("none", "unauthorized");
        long received = requests("api", "receive", "4xx", "none");
        long popped = requests("compat", "pop", "4xx", "none");

        node.exchangeAs(unknown, "POST", "/receive", "{\"topics\": [\"t\"]}");
        node.exchangeAs(ApiNode.MEASURED, "POST", "/topics/t/messages", large);
        node.job(unknown, "pop", "{}");
        node.job(ApiNode.MEASURED, "push", large);
        node.exchangeAs(ApiNode.PATIENT, "GET", "/topics/t/dead-letters", "");
        node.job(ApiNode.PATIENT, "push", "{}");

        awaitRejected(2, "measured", "too_large");
        awaitRejected(2, "patient", "forbidden");
        // requests of earlier tests may be recorded now
        await().until(() -> rejected("none", "unauthorized") >= unauthorized + 2
                && requests("api", "receive", "4xx", "none") > received
                && requests("compat", "pop", "4xx", "none") > popped);
    }

    /** On a slow machine more than a second may pass between two requests. */
    @Test
    void rateOfAClientIsLimited() {
        Reply rejected = awaitRejection(() -> node.exchangeAs(ApiNode.SLOW, "GET", "/topics/t/messages/a", ""));
        Reply ofJobs = awaitRejection(() -> node.job(ApiNode.SLOW, "get", "{\"id\": \"1\"}"));

        assertThat(rejected.problem()).isEqualTo("too-many-requests");
        assertThat(rejected.header("Retry-After")).isEqualTo("1");
        assertThat(rejected.detail()).contains("Client 'slow'", "delayqueue.http.clients.slow.requests-per-second");
        assertThat(ofJobs.header("Retry-After")).isEqualTo("1");
        assertThat(ofJobs.text()).startsWith("{\"code\":1,\"message\":\"查询失败: Client 'slow' sends more requests");
        assertThat(node.get("/topics/t/messages/a").status()).isEqualTo(404);
        await().until(() -> rejected("slow", "too_many_requests") >= 2);
    }

    private static Reply awaitRejection(Callable<Reply> request) {
        return await().until(request, reply -> reply.status() == 429);
    }

    @Test
    void waitingRequestsOfAClientAreLimitedAndMeasured() throws Exception {
        assertThat(gauge("delayqueue.http.waiting.max")).isEqualTo(ApiNode.MAX_WAITING);
        CompletableFuture<Reply> waiting = node.exchangeAsync(node.request("/receive")
                .setHeader("Authorization", "Bearer " + ApiNode.PATIENT)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(ApiNode.receiving(topic, "{\"wait\": \"50s\"}"))));
        await().until(() -> gauge("delayqueue.http.waiting") == 1);

        Reply second =
                node.exchangeAs(ApiNode.PATIENT, "POST", "/receive", ApiNode.receiving("t", "{\"wait\": \"50s\"}"));
        Reply pop = node.job(ApiNode.PATIENT, "pop", "{\"topic\": \"t\"}");
        awaitRejected(2, "patient", "too_many_waiting");
        assertThat(requests("api", "receive", "2xx", "patient"))
                .as("measured requests that still wait")
                .isZero();
        node.send(topic, "{\"payload\": 1}");

        assertThat(second.status()).isEqualTo(429);
        assertThat(second.problem()).isEqualTo("too-many-waiting");
        assertThat(second.header("Retry-After")).isEqualTo("1");
        assertThat(pop.text()).contains("client 'patient' (delayqueue.http.clients.patient.max-waiting, 1)");
        assertThat(waiting.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
        awaitCount(1, "api", "receive", "2xx", "patient");
        await().until(() -> gauge("delayqueue.http.waiting") == 0);
        assertThat(node.bean(LongPolls.class).waiting()).isZero();
    }
}
