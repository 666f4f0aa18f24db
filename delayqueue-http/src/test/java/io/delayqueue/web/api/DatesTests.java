package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** All dates have exactly millisecond precision. */
class DatesTests {

    private final ApiNode node = ApiNode.shared();
    private final String topic = "dates-" + UUID.randomUUID();

    @Test
    void allDatesHaveMilliseconds() {
        JsonNode sent = node.send(topic, "{\"payload\": 1, \"id\": \"a\", \"dueAt\": \"2020-01-31T12:00:00Z\"}")
                .json();
        JsonNode received = node.receiveOne(topic);
        JsonNode found = node.get("/topics/" + topic + "/messages/a").json();

        datesOf(sent, "dueAt");
        datesOf(received, "dueAt", "sentAt", "leaseEnd");
        datesOf(found, "dueAt", "sentAt", "leaseEnd");
    }

    private static void datesOf(JsonNode response, String... fields) {
        for (String field : fields) {
            assertThat(response.path(field).asString())
                    .as(field)
                    .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        }
    }
}
