package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.testing.SystemClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The list of topics over HTTP. */
class TopicsTests {

    private final ApiNode node = ApiNode.shared();
    private final String prefix = "listed-" + UUID.randomUUID() + "/";

    /** Other tests use the same node. */
    @Test
    void topicsAreListedInPagesWithTheirCounts() {
        List<String> names =
                Stream.of("a", "b/ü?&", "c", "d", "e").map(prefix::concat).toList();
        names.forEach(name -> send(name, Duration.ofHours(1)));
        send(names.get(2), Duration.ZERO);
        node.settle(node.receiveOne(names.get(2)), "dead-letter", "");
        node.template()
                .send(DelayMessage.to(names.get(2))
                        .payload("x")
                        .dueAt(SystemClock.now().minusSeconds(60))
                        .build());
        node.bean(DelayQueueAdmin.class).pauseTopic(names.get(3));

        List<JsonNode> topics = new ArrayList<>();
        String query = "?count=2";
        for (int pages = 0; !query.isEmpty(); pages++) {
            JsonNode page = node.get("/topics" + query).json();
            assertThat(page.path("topics")).hasSizeLessThanOrEqualTo(pages < 2 ? 2 : 100);
            page.path("topics").forEach(topics::add);
            query = page.has("next")
                    ? "?count=" + (pages == 0 ? 2 : 100) + "&page="
                            + page.path("next").asString()
                    : "";
        }

        assertThat(topics.stream().map(topic -> topic.path("topic").asString())).doesNotHaveDuplicates();
        topics.removeIf(topic -> !topic.path("topic").asString().startsWith(prefix));
        assertThat(topics.stream().map(topic -> topic.path("topic").asString())).isEqualTo(names);
        String latest = topics.get(0).path("latestDue").asString();
        assertThat(topics.get(0).toString())
                .isEqualTo("{\"topic\":\"" + names.get(0)
                        + "\",\"shards\":1,\"scheduled\":1,\"ready\":0,\"suspects\":0,\"parked\":0,\"leased\":0,\"dead\":0,"
                        + "\"unreviewed\":0,\"schedules\":0,\"lagMillis\":0,\"latestDue\":\"" + latest
                        + "\",\"medianDue\":\"" + latest
                        + "\",\"consumers\":[],\"assignedNodes\":[],\"paused\":false,"
                        + "\"pauses\":[],\"shardCounts\":[]}");
        assertThat(topics.get(2).path("ready").asInt()).isEqualTo(1);
        assertThat(topics.get(2).path("dead").asInt()).isEqualTo(1);
        assertThat(topics.get(2).path("unreviewed").asInt()).isEqualTo(1);
        assertThat(topics.get(2).path("lagMillis").asLong()).isPositive();
        assertThat(topics.get(3).path("paused").asBoolean()).isTrue();
    }

    private void send(String topic, Duration delay) {
        node.template().send(DelayMessage.to(topic).payload("x").delay(delay).build());
    }
}
