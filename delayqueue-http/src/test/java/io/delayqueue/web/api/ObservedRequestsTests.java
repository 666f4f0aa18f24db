package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationView;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** What clients of both HTTP interfaces send and receive is observed as a part of their requests. */
@Timeout(120)
class ObservedRequestsTests {

    @Test
    void sendsAndReceiveCallsBelongToTheirRequests() {
        try (ApiNode node = ApiNode.start(
                Observed.class,
                "delayqueue.observation.enabled=true",
                "delayqueue.http.compat.enabled=true",
                "delayqueue.http.compat.base-path=/jobs")) {
            assertThat(node.send("api", "{\"id\": \"a\", \"payload\": 1}", "Idempotency-Key", "\"1\"")
                            .status())
                    .isEqualTo(201);
            assertThat(node.receiveOne("api").path("id").asString()).isEqualTo("a");
            assertThat(job(node, "push", "{\"topic\": \"t\", \"id\": \"b\", \"delay\": 1, \"ttr\": 60}"))
                    .contains("\"code\":0");
            assertThat(job(node, "pop", "{\"topic\": \"t,other\"}")).contains("\"id\":\"b\"");

            TestObservationRegistry registry = node.bean(Observed.class).registry;
            await().untilAsserted(() -> assertThat(observed(registry))
                    .containsExactlyInAnyOrder(
                            "send api in http.server.requests: accepted",
                            "receive api in http.server.requests: received",
                            "send t in http.server.requests: accepted",
                            "receive t in http.server.requests: received"));
        }
    }

    private static String job(ApiNode node, String verb, String json) {
        return node.exchange(HttpRequest.newBuilder(URI.create(node.site() + "/jobs/" + verb))
                        .header("Authorization", "Bearer " + ApiNode.TOKEN)
                        .POST(BodyPublishers.ofString(json)))
                .text();
    }

    private static List<String> observed(TestObservationRegistry registry) {
        List<String> observed = new ArrayList<>();
        TestObservationRegistryAssert.assertThat(registry)
                .hasHandledContextsThatSatisfy(contexts -> contexts.stream()
                        .filter(context -> String.valueOf(context.getName()).startsWith("delayqueue."))
                        .map(ObservedRequestsTests::text)
                        .forEach(observed::add));
        return observed;
    }

    private static String text(Observation.Context context) {
        Observation.ContextView root = context;
        for (ObservationView parent = context.getParentObservation();
                parent != null;
                parent = root.getParentObservation()) {
            root = parent.getContextView();
        }
        KeyValue outcome = Objects.requireNonNull(context.getLowCardinalityKeyValue("outcome"));
        return context.getContextualName() + " in " + root.getName() + ": " + outcome.getValue();
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Observed extends ApiApplication {

        private final TestObservationRegistry registry = TestObservationRegistry.builder()
                .validateScopesClosedInReverseOrderOfOpening(true)
                .validateScopesOpenedAndClosedOnTheSameThread(true)
                .build();

        @Bean
        TestObservationRegistry registry() {
            return registry;
        }
    }
}
