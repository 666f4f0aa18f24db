package io.delayqueue.actuate;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofHours;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.actuate.EndpointNode.Reply;
import io.delayqueue.message.DelayMessage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import tools.jackson.databind.JsonNode;

/** The defaults of an exposed endpoint on the application's own port. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EndpointAccessContract {

    private final WebApplicationType stack;

    EndpointNode node;

    EndpointAccessContract(WebApplicationType stack) {
        this.stack = stack;
    }

    @BeforeAll
    void start() {
        node = EndpointNode.startOnOnePort(
                stack,
                "/actuator/delayqueue",
                "management.endpoints.web.exposure.include=delayqueue,delayqueuedashboard",
                "management.endpoint.delayqueue.roles=OPERATOR",
                "delayqueue.health.max-lag[broken]=1m",
                "server.forward-headers-strategy=framework");
        node.template()
                .send(DelayMessage.to("closed")
                        .id("a")
                        .payload("secret")
                        .header("h", "secret")
                        .delay(ofHours(1))
                        .build());
        node.send("dead", "a", "secret", ZERO);
        node.claim("dead").get(0).deadLetter("is of no use").join();
    }

    @AfterAll
    void stop() {
        node.close();
    }

    @Test
    void endpointIsReadOnlyByDefault() {
        assertThat(node.view("").json().path("writable").asBoolean(true)).isFalse();
        for (String action : new String[] {"cancel", "start-job", "pause", "no-such-thing"}) {
            Reply reply = node.as("operator").act(action, "topic", "closed", "id", "a");
            assertThat(reply.status()).isEqualTo(405);
            assertThat(reply.detail())
                    .isEqualTo("Actions are disabled: set management.endpoint.delayqueue.access to unrestricted.");
        }
        assertThat(node.template().find("closed", "a")).isPresent();
    }

    @ParameterizedTest
    @CsvSource({", false", "visitor, false", "operator, true"})
    void payloadsAreShownToUsersWithTheRole(String user, boolean shown) {
        EndpointNode asked = user == null ? node : node.as(user);

        JsonNode message = asked.view("message", "topic", "closed", "id", "a").json();
        JsonNode listed = asked.view("messages", "topic", "closed")
                .json()
                .path("messages")
                .get(0);
        JsonNode deadLetter =
                asked.view("dead", "topic", "dead").json().path("deadLetters").get(0);

        for (JsonNode seen : new JsonNode[] {message, listed, deadLetter}) {
            assertThat(seen.path("id").asString()).isEqualTo("a");
            assertThat(seen.path("payload").path("bytes").asInt()).isEqualTo(6);
            assertThat(seen.path("payload").path("hidden").asBoolean()).isEqualTo(!shown);
            assertThat(seen.toString().contains("secret")).isEqualTo(shown);
            assertThat(seen.has("headers")).isEqualTo(shown);
        }
    }

    @Test
    void onlyTheEndpointIsFiltered() {
        assertThat(node.page("/").header("Content-Security-Policy")).isEmpty();
        assertThat(node.page("/actuator").header("Content-Security-Policy")).isEmpty();
        assertThat(node.page("/actuator/delayqueues").header("Content-Security-Policy"))
                .isEmpty();
        for (String path :
                new String[] {"/actuator/delayqueue", "/actuator/%64elayqueue", "/actuator/delayqueue;a=b/topic"}) {
            assertThat(node.page(path).header("Content-Security-Policy"))
                    .as(path)
                    .hasSize(1);
        }
    }

    @Test
    void forwardedHostIsTheOriginOfTheServer() {
        EndpointNode page = node.with("Origin", "https://admin.example");

        assertThat(page.act("cancel").status()).isEqualTo(403);
        assertThat(page.with("X-Forwarded-Host", "admin.example")
                        .with("X-Forwarded-Proto", "https")
                        .act("cancel")
                        .status())
                .isIn(404, 405);
    }

    @Test
    void dashboardIsDisabledByDefault() {
        assertThat(node.page("/actuator/delayqueuedashboard").status()).isEqualTo(404);
        assertThat(node.page("/actuator/delayqueuedashboard/app.js").status()).isEqualTo(404);
    }
}
