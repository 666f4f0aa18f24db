package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.web.api.ApiNode.Reply;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Dead letters over HTTP. */
class DeadLettersTests {

    private final ApiNode node = ApiNode.shared();
    private final String topic = "dead-" + UUID.randomUUID();

    private String toDeadLetters(String id) {
        node.send(topic, "{\"id\": \"" + id + "\", \"payload\": {\"n\": 1}, \"headers\": {\"a\": \"b\"}}");
        assertThat(node.settle(node.receiveOne(topic), "dead-letter", "{\"reason\": \"of no use\"}")
                        .status())
                .isEqualTo(204);
        return deadLetters("").get(0).path("deadLetterId").asString();
    }

    private JsonNode deadLetters(String query) {
        return node.get(path("") + query).json().path("deadLetters");
    }

    private String path(String rest) {
        return "/topics/" + topic + "/dead-letters" + rest;
    }

    @Test
    void deadLetterHasTheMessageAndItsFailure() {
        String deadLetter = toDeadLetters("a");

        JsonNode read = node.get(path("/" + deadLetter)).json();

        assertThat(read).isEqualTo(deadLetters("").get(0));
        assertThat(read.path("id").asString()).isEqualTo("a");
        assertThat(read.path("cause").asString()).isEqualTo("requested");
        assertThat(read.path("attempts").asInt()).isEqualTo(1);
        assertThat(Instant.parse(read.path("startedAt").asString())
                        .plusMillis(read.path("handlingMillis").asLong()))
                .isEqualTo(Instant.parse(read.path("deadLetteredAt").asString()));
        assertThat(read.path("failure").path("message").asString()).isEqualTo("of no use");
        assertThat(read.path("payload").toString()).isEqualTo("{\"n\":1}");
        assertThat(read.path("headers").toString()).isEqualTo("{\"a\":\"b\"}");
        assertThat(Instant.parse(read.path("deadLetteredAt").asString())).isAfter(Instant.EPOCH);
    }

    @Test
    void deadLettersAreListedInPages() {
        for (String id : List.of("a", "b", "c", "d", "e")) {
            toDeadLetters(id);
        }
        List<String> ids = new ArrayList<>();
        String query = "?count=2";
        for (int pages = 0; !query.isEmpty(); pages++) {
            assertThat(pages).isLessThan(4);
            JsonNode page = node.get(path(query)).json();
            page.path("deadLetters")
                    .forEach(deadLetter -> ids.add(deadLetter.path("id").asString()));
            query = page.has("next") ? "?count=2&page=" + page.path("next").asString() : "";
        }

        assertThat(ids).containsExactly("e", "d", "c", "b", "a");
    }

    @Test
    void replayIsRejectedWhileTheIdIsLive() {
        String deadLetter = toDeadLetters("a");
        node.send(topic, "{\"id\": \"a\", \"delay\": \"1h\", \"payload\": 1}");

        Reply live = node.post(path("/" + deadLetter + "/replay"), "");
        node.delete("/topics/" + topic + "/messages/a");
        Reply replayed = node.post(path("/" + deadLetter + "/replay"), "{\"delay\": \"1h\"}");

        assertThat(live.status()).isEqualTo(409);
        assertThat(live.problem()).isEqualTo("duplicate");
        assertThat(replayed.status()).isEqualTo(204);
        assertThat(node.get("/topics/" + topic + "/messages/a")
                        .json()
                        .path("state")
                        .asString())
                .isEqualTo("scheduled");
        Reply again = node.post(path("/" + deadLetter + "/replay"), "{\"dueAt\": \"2030-01-31T12:00:00Z\"}");
        assertThat(again.status()).isEqualTo(404);
        assertThat(again.detail()).isEqualTo("Topic '" + topic + "' has no dead letter '" + deadLetter + "'.");
    }

    @Test
    void purgedDeadLetterIsAbsent() {
        String a = toDeadLetters("a");
        assertThat(node.delete(path("/" + a)).status()).isEqualTo(204);
        assertThat(node.delete(path("/" + a)).status()).isEqualTo(404);
        assertThat(node.get(path("/" + a)).status()).isEqualTo(404);
    }

    @Test
    void deadLettersOfAKindAreReplayedByAJob() {
        for (String id : List.of("a", "b", "c")) {
            toDeadLetters(id);
        }
        JsonNode groups = node.get(path("/groups")).json();
        assertThat(groups.path("counted").asInt()).isEqualTo(3);
        assertThat(groups.path("groups")).hasSize(1);
        JsonNode kind = groups.path("groups").get(0).path("kind");
        assertThat(kind.path("shape").asString()).isEqualTo("of no use");
        String body = "{\"action\": \"replay\", \"cause\": " + kind.path("cause") + ", \"shape\": " + kind.path("shape")
                + ", \"delay\": \"1h\", \"perSecond\": 1000}";

        assertThat(node.post(jobs("/preview"), body).json().path("expected").asInt())
                .isEqualTo(3);
        Reply started = node.post(jobs(""), body);
        assertThat(started.status()).isEqualTo(200);
        String job = started.json().path("id").asString();

        await().until(() ->
                node.get("/jobs/" + job).json().path("state").asString().equals("finished"));
        JsonNode ended = node.get("/jobs/" + job).json();
        assertThat(ended.path("done").asInt()).isEqualTo(3);
        assertThat(ended.path("by").asString()).isEqualTo("tests");
        assertThat(ended.path("shape")).isEqualTo(kind.path("shape"));
        assertThat(deadLetters("")).isEmpty();
        assertThat(node.get("/jobs").json().path("jobs")).contains(ended);
        assertThat(node.delete("/jobs/" + job).json()).isEqualTo(ended);
        assertThat(node.get("/jobs/none").status()).isEqualTo(404);
        assertThat(node.delete("/jobs/none").problem()).isEqualTo("not-found");
    }

    private String jobs(String rest) {
        return "/topics/" + topic + "/jobs" + rest;
    }
}
