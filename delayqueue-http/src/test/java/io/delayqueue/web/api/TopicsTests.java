package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.message.DelayMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The list of topics over HTTP. */
class TopicsTests {

    @Test
    void topicsAreListedInPagesWithTheirCounts() {
        List<String> names = List.of("a", "b/ü?&", "c", "d", "e");
        try (ApiNode node = ApiNode.start("delayqueue.listener.auto-startup=false")) {
            assertThat(node.get("/topics").text()).isEqualTo("{\"topics\":[]}");
            for (String name : names) {
                send(node, name, Duration.ofHours(1));
            }
            send(node, "c", Duration.ZERO);
            send(node, "c", Duration.ZERO);
            node.settle(node.receiveOne("c"), "dead-letter", "");
            node.bean(DelayQueueAdmin.class).pauseTopic("d");

            List<JsonNode> topics = new ArrayList<>();
            String query = "?count=2";
            for (int pages = 0; !query.isEmpty(); pages++) {
                assertThat(pages).isLessThan(4);
                JsonNode page = node.get("/topics" + query).json();
                page.path("topics").forEach(topics::add);
                query = page.has("next") ? "?count=2&page=" + page.path("next").asString() : "";
            }

            assertThat(topics.stream().map(topic -> topic.path("topic").asString()))
                    .isEqualTo(names);
            assertThat(topics.get(0).toString())
                    .isEqualTo(
                            "{\"topic\":\"a\",\"shards\":1,\"paused\":false,\"scheduled\":1,\"ready\":0,\"suspects\":0,"
                                    + "\"leased\":0,\"dead\":0,\"unreviewed\":0,\"lagMillis\":0,\"consumers\":[]}");
            assertThat(topics.get(2).path("ready").asInt()).isEqualTo(1);
            assertThat(topics.get(2).path("dead").asInt()).isEqualTo(1);
            assertThat(topics.get(2).path("unreviewed").asInt()).isEqualTo(1);
            assertThat(topics.get(2).path("lagMillis").asLong()).isPositive();
            assertThat(topics.get(3).path("paused").asBoolean()).isTrue();
            assertThat(node.get("/topics").json().path("topics")).hasSize(names.size());
        }
    }

    private static void send(ApiNode node, String topic, Duration delay) {
        node.template().send(DelayMessage.to(topic).payload("x").delay(delay).build());
    }
}
