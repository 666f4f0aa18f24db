package io.delayqueue.actuate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofHours;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.actuate.EndpointNode.Reply;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ShardKeys;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import tools.jackson.databind.JsonNode;

/** The defaults of an exposed endpoint on the application's own port, and what is unreadable. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EndpointDefaultsTests {

    private EndpointNode node;

    @BeforeAll
    void start() {
        node = EndpointNode.startOnOnePort(
                WebApplicationType.SERVLET,
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

    @ParameterizedTest
    @MethodSource("io.delayqueue.actuate.EndpointContract#forwarded")
    void pageOfAReboundHostCannotForwardAnother(String forwarded) {
        assertThat(node.viewFrom("Host: evil.example", forwarded)).startsWith("403 ");
        assertThat(node.viewFrom("Host: localhost", forwarded)).startsWith("200 ");
    }

    @Test
    void dashboardIsDisabledByDefault() {
        assertThat(node.page("/actuator/delayqueuedashboard").status()).isEqualTo(404);
        assertThat(node.page("/actuator/delayqueuedashboard/app.js").status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a stranger's secret", "1secretsecret\nsecret\n\n", "1secretsecret+secret secret\n\n"})
    void unreadableMessageIsShownToUsersWithTheRole(String stored) {
        node.send("strange", "a", "text", ofHours(1));
        store(keys("strange").messages(), "a", stored);

        for (boolean shown : new boolean[] {true, false}) {
            EndpointNode asked = shown ? node.as("operator") : node;
            Reply message = asked.view("message", "topic", "strange", "id", "a");
            assertThat(message.status()).isEqualTo(200);
            JsonNode seen = message.json();
            assertThat(seen.path("state").asString()).isEqualTo("scheduled");
            assertThat(seen.path("lastFailure").asString()).startsWith("The stored message");
            showsWhole(seen, stored, shown);
            assertThat(asked.view("messages", "topic", "strange")
                            .json()
                            .path("messages")
                            .get(0))
                    .isEqualTo(seen);
        }
        node.template().cancel("strange", "a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a stranger's secret",
                "1 secret REQUESTED 1 2 0\n\n",
                "1 1 secret 1 2 0\n\n",
                "1 1 REQUESTED 1 2 secret"
            })
    void unreadableDeadLetterIsShownToUsersWithTheRole(String stored) {
        String deadLetter = node.toDeadLetters("strange", "a", "text");
        store(keys("strange").deadLetters(), deadLetter, stored);

        for (boolean shown : new boolean[] {true, false}) {
            EndpointNode asked = shown ? node.as("operator") : node;
            JsonNode seen = asked.view("dead-letter", "topic", "strange", "deadLetter", deadLetter)
                    .json();
            assertThat(seen.path("failure").path("message").asString()).startsWith("The ");
            showsWhole(seen, stored, shown);
        }
        node.context().getBean(DelayQueueAdmin.class).purge("strange", deadLetter);
    }

    private static void showsWhole(JsonNode seen, String stored, boolean shown) {
        assertThat(seen.path("payloadBytes").asInt(0)).isEqualTo(shown ? 0 : stored.length());
        assertThat(seen.path("payloadText").asString("hidden")).isEqualTo(shown ? stored : "hidden");
        assertThat(seen.toString().contains("secret")).isEqualTo(shown);
    }

    private ShardKeys keys(String topic) {
        return node.context().getBean(KeySpace.class).of(Shard.single(topic));
    }

    private void store(byte[] hash, String field, String value) {
        try (RedisConnection connection =
                node.context().getBean(RedisConnectionFactory.class).getConnection()) {
            connection.hashCommands().hSet(hash, field.getBytes(UTF_8), value.getBytes(UTF_8));
        }
    }

    @Test
    void unreadableTopicIsShownWithItsProblem() {
        node.send("broken", "a", "text", ofHours(1));
        node.whileUnreadable("broken", () -> {
            JsonNode broken = topic("broken");
            assertThat(broken.path("problem").asString()).contains("WRONGTYPE");
            assertThat(broken.has("ready") || broken.has("lagMillis")).isFalse();
            assertThat(broken.path("maxLagMillis").asLong()).isEqualTo(60_000);
            assertThat(topic("closed").path("scheduled").asLong()).isEqualTo(1);
            assertThat(topic("closed").has("problem")).isFalse();
            assertThat(topic("closed").has("maxLagMillis")).isFalse();
            assertThat(node.view("topic", "topic", "broken").status()).isEqualTo(503);
        });
    }

    private JsonNode topic(String name) {
        return node.view("", "live", name)
                .json()
                .path("topics")
                .valueStream()
                .filter(each -> each.path("topic").asString().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
