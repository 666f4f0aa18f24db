package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.web.api.ApiNode.Reply;
import io.delayqueue.web.api.json.Json;
import io.delayqueue.web.api.request.SendRequest;
import java.lang.reflect.Proxy;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Repeats of a request with its key have the first response and send nothing again. */
class IdempotencyTests {

    private static final String BODY = "{\"payload\": {\"orderNo\": \"4711\"}, \"delay\": 5}";

    private final ApiNode node = ApiNode.shared();
    private final String topic = "once-" + UUID.randomUUID();
    private final String key = UUID.randomUUID().toString();

    private Reply send(String body) {
        return node.send(topic, body, IdempotencyKey.HEADER, key);
    }

    private void takeAll(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(node.settle(node.receiveOne(topic), "acknowledge", "").status())
                    .isEqualTo(204);
        }
        TopicCounts left = node.bean(DelayQueueAdmin.class).counts(topic);
        assertThat(left.scheduled() + left.ready() + left.leased()).isZero();
    }

    @Test
    void repeatHasTheFirstResponseAfterTheMessageEnded() {
        Reply first = send(BODY);
        Reply second = send(BODY);
        takeAll(1);
        Reply third = send(BODY);

        assertThat(first.status()).isEqualTo(201);
        for (Reply repeat : List.of(second, third)) {
            assertThat(repeat.status()).isEqualTo(201);
            assertThat(repeat.text()).isEqualTo(first.text());
            assertThat(repeat.header("Location")).isEqualTo(first.header("Location"));
        }
        takeAll(0);
    }

    @Test
    void concurrentRepeatsStoreOneMessage() {
        List<CompletableFuture<Reply>> sending = Collections.nCopies(12, 0).stream()
                .map(any -> node.postAsync(
                        "/topics/" + topic + "/messages", BODY, IdempotencyKey.HEADER, "\"" + key + "\""))
                .toList();

        Reply first = sending.get(0).join();
        assertThat(first.status()).isEqualTo(201);
        assertThat(sending)
                .extracting(CompletableFuture::join)
                .extracting(Reply::status, Reply::text)
                .containsOnly(tuple(first.status(), first.text()));
        takeAll(1);
    }

    @Test
    void rejectionIsRepeated() {
        node.send(topic, "{\"id\": \"a\", \"payload\": 1}");
        String body = "{\"id\": \"a\", \"payload\": 2}";
        assertThat(send(body).status()).isEqualTo(409);
        takeAll(1);

        assertThat(send(body).status()).isEqualTo(409);
        takeAll(0);
    }

    @Test
    void otherRequestWithTheKeyIsRejected() {
        send(BODY);

        Reply other = send("{\"payload\": {\"orderNo\": \"4712\"}}");
        Reply many = node.post(
                "/topics/" + topic + "/messages/batch", "{\"messages\": [" + BODY + "]}", IdempotencyKey.HEADER, key);
        Reply elsewhere = node.send(topic + "-2", "{\"payload\": 1}", IdempotencyKey.HEADER, key);

        for (Reply rejected : List.of(other, many)) {
            assertThat(rejected.status()).isEqualTo(422);
            assertThat(rejected.problem()).isEqualTo("key-reused");
            assertThat(rejected.detail())
                    .isEqualTo("The idempotency key '" + key + "' was used with another request in the last 24 hours."
                            + " Nothing was sent. Use a different key for each request.");
        }
        assertThat(elsewhere.status()).isEqualTo(201);
        takeAll(1);
    }

    @Test
    void keysOfClientsAreIndependent() {
        Reply first = send(BODY);
        String other = "{\"payload\": {\"orderNo\": \"4712\"}}";

        Reply ofAnotherClient = sendAs(ApiNode.PRODUCER, other);
        Reply itsRepeat = sendAs(ApiNode.PRODUCER, other);

        assertThat(first.status()).isEqualTo(201);
        assertThat(ofAnotherClient.status()).as(ofAnotherClient.text()).isEqualTo(201);
        assertThat(itsRepeat.text()).isEqualTo(ofAnotherClient.text());
        takeAll(2);
    }

    @Test
    void replacedTokenKeepsTheKeys() {
        Reply first = sendAs(ApiNode.PRODUCER, BODY);
        Reply repeat = sendAs(ApiNode.NEXT_PRODUCER, BODY);

        assertThat(first.status()).isEqualTo(201);
        assertThat(repeat.text()).isEqualTo(first.text());
        takeAll(1);
    }

    private Reply sendAs(String token, String body) {
        return node.exchange(node.request("/topics/" + topic + "/messages")
                .setHeader("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .header(IdempotencyKey.HEADER, key)
                .POST(BodyPublishers.ofString(body)));
    }

    @Test
    void batchIsSentOnce() {
        node.send(topic, "{\"id\": \"live\", \"payload\": 1}");
        String body = "{\"messages\": [{\"payload\": 1}, {\"id\": \"a\", \"payload\": 2}, {\"payload\": 3},"
                + " {\"id\": \"live\", \"payload\": 4}, {\"id\": \"a\", \"payload\": 5}]}";

        Reply first = sendAll(body);
        takeAll(4);
        Reply second = sendAll(body);

        assertThat(first.status()).isEqualTo(200);
        assertThat(first.json()
                        .path("results")
                        .valueStream()
                        .map(result -> result.path("outcome").asString()))
                .containsExactly("accepted", "accepted", "accepted", "duplicate", "duplicate");
        assertThat(second.text()).isEqualTo(first.text());
        takeAll(0);
    }

    private Reply sendAll(String body) {
        return node.post("/topics/" + topic + "/messages/batch", body, IdempotencyKey.HEADER, key);
    }

    @Test
    void repeatAfterACrashStoresNothingAgain() {
        SendRequest request = Json.read(BODY.getBytes(StandardCharsets.UTF_8), SendRequest.class);
        MessageSending sending = node.bean(MessageSending.class);
        DelayQueueOperations crashing = (DelayQueueOperations) Proxy.newProxyInstance(
                DelayQueueOperations.class.getClassLoader(),
                new Class<?>[] {DelayQueueOperations.class},
                (proxy, method, arguments) -> {
                    throw new IllegalStateException("crashed after " + method.invoke(sending.operations(), arguments));
                });
        MessageSending crashed = new MessageSending(
                crashing,
                sending.keys(),
                sending.ids(),
                sending.limits(),
                sending.clock(),
                sending.topics(),
                sending.maxTopics());
        IdempotencyKey marked = new IdempotencyKey(key, "fingerprint", "");

        assertThatThrownBy(() -> crashed.one(topic, request, marked)).hasMessageStartingWith("crashed after ");
        JsonNode delivery = node.receiveOne(topic);
        node.settle(delivery, "acknowledge", "");
        SendResult.Success repeated = sending.one(topic, request, marked);

        assertThat(repeated).isInstanceOf(SendResult.Accepted.class);
        assertThat(repeated.id()).isEqualTo(delivery.path("id").asString());
        takeAll(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\"", "\"\"", "a b", "\"a\"b\"", "\"a\", \"b\"", "a,b", "\"a\\b\""})
    void invalidKeyIsRejected(String header) {
        Reply reply = node.send(topic, BODY, IdempotencyKey.HEADER, header);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.detail())
                .isEqualTo("The header Idempotency-Key must be one string of 1 to 255 visible ASCII characters without"
                        + " quotation marks and backslashes, in quotation marks if it contains a space or a comma, such as"
                        + " \"8e03978e-40d5-43e8-bc93-6894a57f9324\".");
    }
}
