package io.delayqueue.actuate;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.WebApplicationType;
import tools.jackson.databind.JsonNode;

/** One node per test class, whose endpoint has configured paths, and a topic per test. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EndpointTest {

    final WebApplicationType stack;
    EndpointNode node;
    String topic;

    EndpointTest(WebApplicationType stack) {
        this.stack = stack;
    }

    @BeforeAll
    void start() {
        node = EndpointNode.start(
                stack,
                "/manage/ops/queue",
                "management.server.base-path=/manage",
                "management.endpoints.web.base-path=/ops",
                "management.endpoints.web.path-mapping.delayqueue=queue",
                "management.endpoint.delayqueue.access=unrestricted",
                "management.endpoint.delayqueue.show-payloads=always",
                "management.endpoint.delayqueue.allowed-hosts=queue.example",
                "server.forward-headers-strategy=native",
                "delayqueue.metrics.sample-interval=1s");
    }

    @AfterAll
    void stop() {
        node.close();
    }

    @BeforeEach
    void nameTopic() {
        topic = "orders/" + UUID.randomUUID();
    }

    static List<String> texts(JsonNode array, String name) {
        return array.valueStream().map(it -> it.path(name).asString()).toList();
    }
}
