package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.web.api.ApiNode.Reply;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Messages with keys. No other test uses the ordered topic. */
class KeyTests {

    private final ApiNode node = ApiNode.shared();
    private final String key = "account-" + UUID.randomUUID();

    private Reply send(String body, String... headers) {
        return node.send(ApiNode.ORDERED, body, headers);
    }

    private JsonNode counts() {
        String query = "?count=100";
        while (true) {
            JsonNode page = node.get("/topics" + query).json();
            for (JsonNode topic : page.path("topics")) {
                if (topic.path("topic").asString().equals(ApiNode.ORDERED)) {
                    return topic;
                }
            }
            query = "?count=100&page=" + page.required("next").asString();
        }
    }

    @Test
    void messagesOfAKeyAreReceivedOneAtATime() {
        Reply batch = node.post("/topics/" + ApiNode.ORDERED + "/messages/batch", """
                {"messages": [{"id": "first", "key": "KEY", "payload": 1}, {"id": "second", "key": "KEY", "payload": 2}]}""".replace("KEY", key));
        assertThat(batch.json()
                        .path("results")
                        .valueStream()
                        .map(result -> result.path("outcome").asString()))
                .containsExactly("accepted", "accepted");
        assertThat(counts().path("ready").asInt()).isEqualTo(2);
        assertThat(counts().path("parked").asInt()).isEqualTo(1);

        JsonNode first = onlyReceived();
        assertThat(first.path("id").asString()).isEqualTo("first");
        assertThat(first.path("key").asString()).isEqualTo(key);
        JsonNode parked =
                node.get("/topics/" + ApiNode.ORDERED + "/messages/second").json();
        assertThat(parked.path("key").asString()).isEqualTo(key);
        assertThat(parked.path("parked").asBoolean()).isTrue();

        node.settle(first, "acknowledge", "");
        JsonNode second = onlyReceived();
        assertThat(second.path("id").asString()).isEqualTo("second");
        assertThat(counts().path("parked").asInt()).isZero();
        node.settle(second, "dead-letter", "");
        JsonNode dead = node.get("/topics/" + ApiNode.ORDERED + "/dead-letters")
                .json()
                .path("deadLetters")
                .get(0);
        assertThat(dead.path("key").asString()).isEqualTo(key);
    }

    @Test
    void aReceivedMessageMayLetOthersPass() {
        for (String id : List.of("passed", "other")) {
            send("{\"id\": \"" + id + "\", \"key\": \"" + key + "\", \"payload\": 1}");
        }
        JsonNode passed = onlyReceived();
        assertThat(passed.path("id").asString()).isEqualTo("passed");

        assertThat(node.settle(passed, "let-others-pass", "{\"delay\": \"1h\"}").status())
                .isEqualTo(204);

        JsonNode other = onlyReceived();
        assertThat(other.path("id").asString()).isEqualTo("other");
        node.settle(other, "acknowledge", "");
        node.template().reschedule(ApiNode.ORDERED, "passed", Duration.ZERO);
        JsonNode again = onlyReceived();
        assertThat(again.path("attempt").asInt()).isEqualTo(1);
        assertThat(again.path("postponements").asInt()).isEqualTo(1);
        node.settle(again, "acknowledge", "");
    }

    private JsonNode onlyReceived() {
        JsonNode messages = node.post(
                        "/receive", "{\"topics\": [\"" + ApiNode.ORDERED + "\"], \"count\": 10, \"wait\": \"30s\"}")
                .json()
                .path("messages");
        assertThat(messages).hasSize(1);
        return messages.get(0);
    }

    @Test
    void aSuccessorHasItsOwnKey() {
        String other = key + "-other";
        send("{\"id\": \"" + key + "\", \"key\": \"" + key + "\", \"payload\": 1}");
        JsonNode running = onlyReceived();

        send("{\"id\": \"" + key + "\", \"key\": \"" + other
                + "\", \"payload\": 2, \"onDuplicate\": \"after_running\"}");

        JsonNode found =
                node.get("/topics/" + ApiNode.ORDERED + "/messages/" + key).json();
        assertThat(found.path("key").asString()).isEqualTo(key);
        assertThat(found.path("parked").asBoolean(true)).isFalse();
        assertThat(found.path("successor").path("key").asString()).isEqualTo(other);
        node.settle(running, "acknowledge", "");
        JsonNode successor = onlyReceived();
        assertThat(successor.path("key").asString()).isEqualTo(other);
        node.settle(successor, "acknowledge", "");
    }

    @Test
    void anOrderedTopicRequiresKeys() {
        Reply one = send("{\"payload\": 1}", "Idempotency-Key", key);
        Reply many = node.post(
                "/topics/" + ApiNode.ORDERED + "/messages/batch",
                "{\"messages\": [{\"key\": \"a\", \"payload\": 1}, {\"payload\": 2}]}");

        String why = " can't be sent: it has no key, but topic accounts is ordered. Set 'key' to what is handled in"
                + " order, such as the number of an account.";
        for (Reply reply : List.of(one, many)) {
            assertThat(reply.status()).isEqualTo(400);
            assertThat(reply.problem()).isEqualTo("invalid-request");
        }
        assertThat(one.detail()).isEqualTo("The message" + why);
        assertThat(many.detail()).isEqualTo("Message 1" + why);
        // the idempotency key is not reserved
        Reply corrected = send("{\"key\": \"" + key + "\", \"payload\": 1, \"delay\": \"1h\"}", "Idempotency-Key", key);
        assertThat(corrected.status()).isEqualTo(201);
    }
}
