package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.web.api.ApiNode.Reply;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sends to a topic that has as many messages as its limit permits, over both interfaces. */
class FullTopicTests {

    private final ApiNode node = ApiNode.shared();
    private final String topic = "full-" + UUID.randomUUID();
    private final String key = UUID.randomUUID().toString();

    @BeforeEach
    void fill() {
        send("live", "replace");
        limit(1);
    }

    private void limit(int messages) {
        node.bean(DelayQueueAdmin.class).limit(topic, new TopicLimits(null, null, (long) messages));
    }

    private static String body(String id, String onDuplicate) {
        return "{\"id\": \"" + id + "\", \"payload\": 1, \"delay\": \"1h\", \"onDuplicate\": \"" + onDuplicate + "\"}";
    }

    private Reply send(String id, String onDuplicate, String... headers) {
        return node.send(topic, body(id, onDuplicate), headers);
    }

    private Reply sendAll(String... ids) {
        String messages = String.join(
                ", ", Arrays.stream(ids).map(id -> body(id, "replace")).toList());
        return node.post(
                "/topics/" + topic + "/messages/batch",
                "{\"messages\": [" + messages + "]}",
                IdempotencyKey.HEADER,
                key);
    }

    private long scheduled() {
        return node.bean(DelayQueueAdmin.class).counts(topic).scheduled();
    }

    private void assertFull(Reply reply, String detail) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(429);
        assertThat(reply.problem()).isEqualTo("topic-full");
        assertThat(reply.header("Retry-After")).isEqualTo("1");
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(reply.detail()).isEqualTo(detail);
    }

    @Test
    void sendIsRejectedAndReplacementIsStored() {
        Reply rejected = send("a", "keep");

        assertFull(
                rejected,
                "Message 'a' was not stored: topic " + topic + " is full: its limit of scheduled and leased messages"
                        + " (max-messages) is 1. Send the message again when some are handled, or raise the limit.");
        assertThat(rejected.json().path("topic").asString()).isEqualTo(topic);
        assertThat(rejected.json().path("id").asString()).isEqualTo("a");
        assertThat(send("live", "replace").status()).isEqualTo(201);
        assertThat(send("live", "keep").status()).isEqualTo(200);
        assertThat(send("live", "reject").status()).isEqualTo(409);
        assertThat(scheduled()).isEqualTo(1);
    }

    @Test
    void repeatWithAKeyIsDecidedAnew() {
        assertThat(send("a", "reject", IdempotencyKey.HEADER, key).status()).isEqualTo(429);
        assertFull(
                send("a", "reject", IdempotencyKey.HEADER, key),
                "Message 'a' was not stored: topic " + topic
                        + " has as many messages as its limit max-messages permits."
                        + " Repeat the request when some are handled, or raise the limit.");

        limit(2);
        Reply sent = send("a", "reject", IdempotencyKey.HEADER, key);
        limit(1);
        Reply repeated = send("a", "reject", IdempotencyKey.HEADER, key);

        assertThat(sent.status()).isEqualTo(201);
        assertThat(repeated.status()).isEqualTo(201);
        assertThat(repeated.text()).isEqualTo(sent.text());
        assertThat(scheduled()).isEqualTo(2);
    }

    @Test
    void batchHasAResultForEachMessageUnlessNoneIsStored() {
        String none = "None of the 2 messages was stored: topic " + topic
                + " has as many messages as its limit max-messages permits. Repeat the request when some are handled, or"
                + " raise the limit.";
        assertFull(sendAll("a", "b"), none);
        assertFull(sendAll("a", "b"), none);

        limit(2);
        Reply first = sendAll("a", "b");
        assertThat(first.status()).isEqualTo(200);
        assertThat(first.json().path("results").get(0).path("outcome").asString())
                .isEqualTo("accepted");
        for (Reply reply : List.of(first, sendAll("a", "b"))) {
            assertThat(reply.json().path("results").get(0))
                    .isEqualTo(first.json().path("results").get(0));
            assertThat(reply.json().path("results").get(1).path("outcome").asString())
                    .isEqualTo("rejected");
            assertThat(reply.json().path("results").get(1).path("reason").asString())
                    .startsWith("topic " + topic + " ");
        }

        limit(3);
        Reply last = sendAll("a", "b");
        assertThat(last.json().path("results").get(0))
                .isEqualTo(first.json().path("results").get(0));
        assertThat(last.json().path("results").get(1).path("outcome").asString())
                .isEqualTo("accepted");
        assertThat(scheduled()).isEqualTo(3);
    }

    @Test
    void batchWithoutRoomThatKeepsALiveMessageHasResults() {
        Reply reply = sendAll("live", "a");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.json()
                        .path("results")
                        .valueStream()
                        .map(result -> result.path("outcome").asString()))
                .containsExactly("replaced", "rejected");
    }

    @Test
    void jobIsRejectedUnlessItReplacesALiveOne() {
        String job = "{\"topic\": \"" + topic + "\", \"id\": \"%s\", \"delay\": 3600, \"ttr\": 60, \"body\": \"x\"}";

        Reply rejected = node.job(ApiNode.TOKEN, "push", job.formatted("a"));
        Reply replaced = node.job(ApiNode.TOKEN, "push", job.formatted("live"));

        assertThat(rejected.status()).isEqualTo(200);
        assertThat(rejected.text())
                .startsWith("{\"code\":1,\"message\":\"添加失败: Message a to topic " + topic + " was not stored: topic "
                        + topic + " is full: ");
        assertThat(replaced.text()).startsWith("{\"code\":0,\"message\":\"添加成功\"");
        limit(2);
        assertThat(node.job(ApiNode.TOKEN, "push", job.formatted("a")).text()).startsWith("{\"code\":0");
    }
}
