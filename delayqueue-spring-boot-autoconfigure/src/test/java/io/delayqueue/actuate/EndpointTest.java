package io.delayqueue.actuate;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;

/** Tests of a node, with a topic for each test. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EndpointTest {

    EndpointNode node;

    String topic;

    @BeforeEach
    void nameTopic() {
        topic = "orders/" + UUID.randomUUID();
    }

    static List<String> texts(JsonNode array, String name) {
        return array.valueStream().map(it -> it.path(name).asString()).toList();
    }
}
