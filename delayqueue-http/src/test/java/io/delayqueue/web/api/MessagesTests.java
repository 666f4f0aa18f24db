package io.delayqueue.web.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.web.api.ApiApplication.CancelOrder;
import io.delayqueue.web.api.ApiNode.Reply;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import tools.jackson.databind.JsonNode;

/** Sending over HTTP, and messages by their ids. */
class MessagesTests {

    /** With exactly millisecond precision. */
    private static final String DATE = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z";

    private final ApiNode node = ApiNode.shared();
    private final String topic = "orders-" + UUID.randomUUID();

    @Test
    void sendRespondsWithThePath() {
        Reply reply = node.send(topic, """
                {"id": "4711", "delay": "10m", "payload": {"orderNo": "4711"}, "headers": {"tags": "vip"},
                 "maxAttempts": 8, "lease": "45s", "expireAfter": "PT2H"}""");

        assertThat(reply.status()).isEqualTo(201);
        assertThat(reply.header("Content-Type")).isEqualTo("application/json");
        assertThat(reply.header("Location")).isEqualTo("/delayqueue/v1/topics/" + topic + "/messages/4711");
        assertThat(reply.json().path("outcome").asString()).isEqualTo("accepted");
        MessageSnapshot stored = node.template().find(topic, "4711").orElseThrow();
        assertThat(reply.json().path("dueAt").asString())
                .isEqualTo(stored.dueAt().toString());
        assertThat(stored.envelope().headers()).containsEntry("tags", "vip");
        assertThat(stored.envelope().limits().maxAttempts()).isEqualTo(8);
        assertThat(stored.envelope().limits().lease()).isEqualTo(Duration.ofSeconds(45));
        assertThat(stored.envelope().limits().expireAfter()).isEqualTo(Duration.ofHours(2));
    }

    @Test
    void conflictAboutATopicHasNoTimeOfARetry() {
        byte[] topics = node.bean(KeySpace.class).topics();
        try (RedisConnection redis = node.bean(RedisConnectionFactory.class).getConnection()) {
            redis.hashCommands().hSet(topics, topic.getBytes(UTF_8), "of a later version".getBytes(UTF_8));
            for (Reply reply : List.of(
                    node.send(topic, "{\"payload\": 1}"),
                    node.receive(topic, "{}"),
                    node.get("/topics/" + topic + "/messages/1"))) {
                assertThat(reply.status()).as(reply.text()).isEqualTo(503);
                assertThat(reply.detail()).contains("is registered as of a later version");
                assertThat(reply.response().headers().firstValue("Retry-After")).isEmpty();
            }
            redis.hashCommands().hDel(topics, topic.getBytes(UTF_8));
        }
    }

    @Test
    void listenerReadsSentMessages() throws InterruptedException {
        Reply reply = node.send("listened", "{\"payload\": {\"order_no\": \"47 Ü\", \"total_amount\": 5}}");

        assertThat(reply.status()).isEqualTo(201);
        assertThat(node.bean(ApiApplication.class).cancelled.poll(60, TimeUnit.SECONDS))
                .isEqualTo(new CancelOrder("47 Ü", 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":  1.50, \"b\": [1e400, 12345678901234567890, {}], \"c\": \"\\u00fc\\/ü 😀\", \"a\": null}",
                "[]",
                "[ ]",
                "\"text\"",
                "\"\"",
                "-0",
                "0.10",
                "true",
                "false",
                "[[[{\"x\" : null}]]]",
                "\"half \\ud800\""
            })
    void jsonIsStoredUnchanged(String json) {
        Reply reply = node.send(topic, "{\"id\": \"a\",\"payload\" : " + json + " , \"delay\": \"1h\"}");

        assertThat(reply.status()).isEqualTo(201);
        assertThat(node.template().find(topic, "a").orElseThrow().envelope().payload())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo(json);
        assertThat(node.get("/topics/" + topic + "/messages/a").text()).contains("\"payload\":" + json + "}");
    }

    @Test
    void textAndBytesAreStoredUnchanged() {
        node.send(topic, "{\"id\": \"text\", \"delay\": \"1h\", \"payloadText\": \"Grüße, {\"}");
        node.send(topic, "{\"id\": \"empty\", \"delay\": \"1h\", \"payloadText\": \"\"}");
        byte[] bytes = {0, -1, 10, '{', -128};
        node.send(
                topic,
                "{\"id\": \"bytes\", \"delay\": \"1h\", \"payloadBase64\": \""
                        + Base64.getEncoder().encodeToString(bytes) + "\"}");

        assertThat(found("text").path("payloadText").asString()).isEqualTo("Grüße, {");
        assertThat(found("empty").path("payloadText").asString()).isEmpty();
        assertThat(found("bytes").path("payloadBase64").binaryValue()).isEqualTo(bytes);
        assertThat(node.template().find(topic, "bytes").orElseThrow().envelope().payload())
                .isEqualTo(bytes);
    }

    private JsonNode found(String id) {
        JsonNode found = node.get("/topics/" + topic + "/messages/" + id).json();
        assertThat(found.propertyNames().stream().filter(name -> name.startsWith("payload")))
                .hasSize(1);
        return found;
    }

    @Test
    void findReturnsTheState() {
        node.send(topic, "{\"id\": \"a\", \"payload\": {\"camelCase\": 1}, \"headers\": {\"x\": \"y\"}}");

        assertThat(found("a").toString())
                .matches("\\{\"topic\":\"" + topic + "\",\"id\":\"a\",\"state\":\"ready\",\"parked\":false,\"dueAt\":\""
                        + DATE + "\","
                        + "\"sentAt\":\"" + DATE
                        + "\",\"attempts\":0,\"postponements\":0,\"crashes\":0,\"failures\":\\[],\"headers\":\\{\"x\":\"y\"},"
                        + "\"payload\":\\{\"camelCase\":1}}");
        node.receiveOne(topic);
        assertThat(found("a").path("state").asString()).isEqualTo("leased");
        assertThat(found("a").path("attempts").asInt()).isEqualTo(1);
        assertThat(found("a").path("leaseEnd").asString()).matches(DATE);
    }

    @Test
    void onDuplicateDecidesAboutALiveId() {
        node.send(topic, "{\"id\": \"a\", \"delay\": \"1h\", \"payload\": 1}");

        Reply rejected = node.send(topic, "{\"id\": \"a\", \"delay\": \"2h\", \"payload\": 2}");
        Reply kept = node.send(topic, "{\"id\": \"a\", \"payload\": 3, \"onDuplicate\": \"keep\"}");
        assertThat(found("a").path("payload").asInt()).isEqualTo(1);
        Reply replaced =
                node.send(topic, "{\"id\": \"a\", \"delay\": \"3h\", \"payload\": 4, \"onDuplicate\": \"replace\"}");

        assertThat(rejected.status()).isEqualTo(409);
        assertThat(rejected.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(rejected.problem()).isEqualTo("duplicate");
        assertThat(rejected.json().path("id").asString()).isEqualTo("a");
        assertThat(kept.status()).isEqualTo(200);
        assertThat(kept.json().path("outcome").asString()).isEqualTo("kept");
        assertThat(replaced.status()).isEqualTo(201);
        assertThat(replaced.json().path("outcome").asString()).isEqualTo("replaced");
        assertThat(found("a").path("payload").asInt()).isEqualTo(4);
    }

    @Test
    void aMessageIsKeptBehindTheOneThatIsBeingHandled() {
        node.send(topic, "{\"id\": \"a\", \"payload\": 1}");
        JsonNode running = node.receiveOne(topic);

        Reply first = node.send(
                topic,
                "{\"id\": \"a\", \"payload\": 2, \"onDuplicate\": \"after_running\", \"headers\": {\"x\": \"y\"}}");
        Reply last = node.send(topic, "{\"id\": \"a\", \"payloadText\": \"3\", \"onDuplicate\": \"after_running\"}");

        assertThat(first.json().path("outcome").asString()).isEqualTo("accepted");
        assertThat(last.json().path("outcome").asString()).isEqualTo("replaced");
        JsonNode successor = found("a").path("successor");
        assertThat(successor.path("payload").asInt()).isEqualTo(3);
        assertThat(successor.path("dueAt").asString()).matches(DATE);
        assertThat(node.post("/leases/" + running.path("receipt").asString() + "/acknowledge", "")
                        .status())
                .isEqualTo(204);
        assertThat(node.receiveOne(topic).path("payload").asInt()).isEqualTo(3);
        assertThat(found("a").has("successor")).isFalse();
    }

    @Test
    void aDebouncedMessageIsDueALongestTimeAfterTheFirstSend() {
        String debounce = "\"debounce\": {\"quiet\": \"1h\", \"atTheLatest\": \"1h\"}";
        Reply first = node.send(topic, "{\"id\": \"a\", \"payload\": 1, " + debounce + "}");
        Reply second = node.send(topic, "{\"id\": \"a\", \"payload\": 2, " + debounce + "}");

        assertThat(first.json().path("outcome").asString()).isEqualTo("accepted");
        assertThat(second.json().path("outcome").asString()).isEqualTo("replaced");
        assertThat(second.json().path("dueAt")).isEqualTo(first.json().path("dueAt"));
        assertThat(found("a").path("payload").asInt()).isEqualTo(2);
        assertThat(found("a").path("dueAt")).isEqualTo(first.json().path("dueAt"));
    }

    @Test
    void eachMessageOfABatchHasAResult() {
        node.send(topic, "{\"id\": \"b\", \"delay\": \"1h\", \"payload\": 1}");

        Reply reply = node.post("/topics/" + topic + "/messages/batch", """
                {"messages": [{"id": "a", "payload": 1}, {"id": "b", "payload": 2}, {"payload": 3},
                 {"id": "b", "payload": 4, "onDuplicate": "replace"}, {"id": "b", "payload": 5, "onDuplicate": "keep"}]}""");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.json()
                        .path("results")
                        .valueStream()
                        .map(result -> result.path("outcome").asString()))
                .containsExactly("accepted", "duplicate", "accepted", "replaced", "kept");
        assertThat(reply.json().path("results").get(2).path("id").asString()).hasSize(22);
        assertThat(reply.json().path("results").get(1).path("reason").asString())
                .contains("is live");
    }

    @Test
    void messageIsCancelledOnce() {
        node.send(topic, "{\"id\": \"a\", \"delay\": \"1h\", \"payload\": 1}");
        node.send(topic, "{\"id\": \"b\", \"payload\": 1}");
        JsonNode leased = node.receiveOne(topic);

        assertThat(node.delete("/topics/" + topic + "/messages/a").text()).isEqualTo("{\"outcome\":\"cancelled\"}");
        assertThat(node.delete("/topics/" + topic + "/messages/b").text())
                .isEqualTo("{\"outcome\":\"cancelled_while_handled\"}");
        Reply again = node.delete("/topics/" + topic + "/messages/a");
        assertThat(again.status()).isEqualTo(404);
        assertThat(again.problem()).isEqualTo("not-found");
        assertThat(again.detail()).isEqualTo("Topic '" + topic + "' has no live message 'a'.");
        assertThat(node.settle(leased, "acknowledge", "").status()).isEqualTo(410);
    }

    @Test
    void onlyScheduledMessagesAreRescheduled() {
        node.send(topic, "{\"id\": \"a\", \"delay\": \"1h\", \"payload\": 1}");
        String path = "/topics/" + topic + "/messages/a/reschedule";

        assertThat(node.post(path, "{\"dueAt\": \"2030-01-31T12:00:00Z\"}").status())
                .isEqualTo(204);
        assertThat(found("a").path("dueAt").asString()).isEqualTo("2030-01-31T12:00:00.000Z");
        assertThat(node.post(path, "{\"delay\": 0}").status()).isEqualTo(204);
        node.receiveOne(topic);
        Reply handled = node.post(path, "{\"delay\": \"1h\"}");
        assertThat(handled.status()).isEqualTo(409);
        assertThat(handled.problem()).isEqualTo("being-handled");
        assertThat(node.post("/topics/" + topic + "/messages/x/reschedule", "{\"delay\": 0}")
                        .status())
                .isEqualTo(404);
        assertThat(node.post(path, "{}").detail())
                .isEqualTo("The field 'delay' or 'dueAt' is required. Set one of the two.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a/b",
                "a\\b",
                "a;b",
                "100%",
                "~tilde",
                ".",
                "..",
                "a b",
                " a ",
                "Grüße😀",
                "+&=?#",
                "a\nb",
                "{x}:@",
                "batch",
                "a\u2028b",
                "%2F",
                "a//b",
                "[]^`|\"<>"
            })
    void anyNameHasAPath(String name) {
        String topic = this.topic + name;
        node.template()
                .send(DelayMessage.to(topic)
                        .id(name)
                        .payload("text")
                        .delay(Duration.ofHours(1))
                        .build());
        String path = "/topics/" + PathNames.encode(topic) + "/messages/" + PathNames.encode(name);

        Reply found = node.get(path);
        Reply sent = node.send(PathNames.encode(topic), "{\"payload\": 1, \"delay\": \"1h\"}");

        assertThat(found.status()).as(found.text()).isEqualTo(200);
        assertThat(found.json().path("topic").asString()).isEqualTo(topic);
        assertThat(found.json().path("id").asString()).isEqualTo(name);
        assertThat(node.exchange(HttpRequest.newBuilder(URI.create(node.site() + sent.header("Location")))
                                .header("Authorization", "Bearer " + ApiNode.TOKEN))
                        .json()
                        .path("topic")
                        .asString())
                .isEqualTo(topic);
    }

    @Test
    void settingsOfTheApplicationDoNotApply() {
        Reply own = node.exchange(HttpRequest.newBuilder(URI.create(node.site() + "/own")));

        assertThat(own.text()).startsWith("{\"wrapped\":");
        assertThat(node.send(topic, "{\"payload\": 1}").json().has("dueAt")).isTrue();
    }
}
