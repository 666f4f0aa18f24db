package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.template.receive.Leases;
import io.delayqueue.web.api.ApiNode.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Settling several messages by one request. */
class SettleTests {

    private final ApiNode node = ApiNode.shared();
    private final String topic = "settled-" + UUID.randomUUID();

    private JsonNode received(String topic, String id) {
        node.send(topic, "{\"id\": \"" + id + "\", \"payload\": 1}");
        return node.receiveOne(topic);
    }

    private static String settlement(JsonNode delivery, String action, String options) {
        return "{\"receipt\": \"" + ApiNode.receipt(delivery) + "\", \"action\": \"" + action + "\"" + options + "}";
    }

    private Reply settle(String... settlements) {
        return node.post("/settle", "{\"settlements\": [" + String.join(", ", settlements) + "]}");
    }

    private static List<String> outcomes(Reply reply) {
        return reply.json()
                .path("results")
                .valueStream()
                .map(result -> result.path("id").asString() + " "
                        + result.path("outcome").asString())
                .toList();
    }

    private MessageSnapshot found(String id) {
        return node.template().find(topic, id).orElseThrow();
    }

    @Test
    void eachActionHasTheEffectOfItsPath() {
        JsonNode extended = received(topic, "extended");

        Reply reply = settle(
                settlement(received(topic, "acknowledged"), "acknowledge", ""),
                settlement(received(topic, "retried"), "retry", ", \"delay\": \"1h\", \"reason\": \"not yet\""),
                settlement(received(topic, "postponed"), "postpone", ", \"delay\": \"1h\""),
                settlement(received(topic, "passed"), "let-others-pass", ", \"delay\": \"1h\""),
                settlement(received(topic, "dead"), "dead-letter", ", \"reason\": \"of no use\""),
                settlement(extended, "extend", ", \"lease\": \"2h\""),
                settlement(received(topic, "released"), "release", ""));

        assertThat(reply.status()).isEqualTo(200);
        assertThat(outcomes(reply))
                .containsExactly(
                        "acknowledged settled",
                        "retried settled",
                        "postponed settled",
                        "passed settled",
                        "dead settled",
                        "extended settled",
                        "released settled");
        assertThat(node.template().find(topic, "acknowledged")).isEmpty();
        assertThat(found("retried").state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(found("retried").lastFailure()).isEqualTo("retry: not yet");
        assertThat(found("postponed").postponements()).isEqualTo(1);
        assertThat(found("passed").postponements()).isEqualTo(1);
        assertThat(found("passed").state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(found("extended").leaseEnd())
                .isAfter(Instant.parse(extended.path("leaseEnd").asString()).plusSeconds(1800));
        assertThat(found("released").state()).isEqualTo(MessageState.READY);
        assertThat(found("released").attempts()).isZero();
        JsonNode deadLetter = node.get("/topics/" + topic + "/dead-letters")
                .json()
                .path("deadLetters")
                .get(0);
        assertThat(deadLetter.path("id").asString()).isEqualTo("dead");
        assertThat(deadLetter.path("failure").path("message").asString()).isEqualTo("of no use");
    }

    @Test
    void aHoldAppliesToTheTopicAndCountsNoAttempt() {
        JsonNode held = received(topic, "held");
        JsonNode alsoHeld = received(topic, "also held");

        Reply reply = node.post("/leases/" + ApiNode.receipt(held) + "/hold", "{\"delay\": \"1h\"}");
        Reply release = node.post("/leases/" + ApiNode.receipt(alsoHeld) + "/release", "");

        assertThat(reply.status()).isEqualTo(204);
        assertThat(release.status()).isEqualTo(204);
        assertThat(found("held").attempts()).isZero();
        assertThat(found("held").state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(found("also held").state()).isEqualTo(MessageState.READY);
        assertThat(node.receive(topic, "{}").json().path("messages")).isEmpty();
    }

    @Test
    void receiptIsThatOfTheJavaApi() {
        String receipt = ApiNode.receipt(received(topic, "a"));
        assertThat(node.bean(Leases.class).release(receipt).join()).isTrue();

        LeasedDelivery delivery = node.bean(DelayQueueReceiver.class)
                .receive(topic, 1, Duration.ofMinutes(1))
                .get(0);

        assertThat(node.post("/leases/" + delivery.receipt() + "/acknowledge", "")
                        .status())
                .isEqualTo(204);
        assertThat(node.template().find(topic, "a")).isEmpty();
    }

    @Test
    void optionsHaveDefaults() {
        JsonNode extended = received(topic, "extended");
        Reply reply = settle(
                settlement(extended, "extend", ", \"lease\": null"),
                settlement(received(topic, "retried"), "retry", ""),
                settlement(received(topic, "dead"), "dead-letter", ""));

        assertThat(outcomes(reply)).containsExactly("extended settled", "retried settled", "dead settled");
        assertThat(found("retried").state()).isEqualTo(MessageState.READY);
        assertThat(found("retried").lastFailure()).isEqualTo("retry: requested by the receiver");
    }

    @Test
    void messagesOfSeveralTopicsAreSettledIndependently() {
        JsonNode late = received(topic, "late");
        node.settle(late, "acknowledge", "");
        String other = topic + "/other";
        JsonNode elsewhere = receivedElsewhere(other);

        Reply reply = settle(settlement(late, "acknowledge", ""), settlement(elsewhere, "acknowledge", ""));

        assertThat(reply.status()).isEqualTo(200);
        assertThat(outcomes(reply)).containsExactly("late lease-lost", "elsewhere settled");
        JsonNode lost = reply.json().path("results").get(0);
        assertThat(lost.path("topic").asString()).isEqualTo(topic);
        assertThat(lost.path("reason").asString())
                .isEqualTo(node.settle(late, "acknowledge", "").detail())
                .contains("Nothing changed.");
        assertThat(node.template().find(other, "elsewhere")).isEmpty();
    }

    private JsonNode receivedElsewhere(String other) {
        node.send(PathNames.encode(other), "{\"id\": \"elsewhere\", \"payload\": 1}");
        return node.receiveOne(other);
    }

    @Test
    void repeatFindsThatLeasesAreLost() {
        JsonNode acknowledged = received(topic, "acknowledged");
        JsonNode extended = received(topic, "extended");
        String[] settlements = {
            settlement(acknowledged, "acknowledge", ""), settlement(extended, "extend", ", \"lease\": \"1m\"")
        };

        assertThat(outcomes(settle(settlements))).containsExactly("acknowledged settled", "extended settled");
        assertThat(outcomes(settle(settlements))).containsExactly("acknowledged lease-lost", "extended settled");
    }

    @Test
    void requestWithAnInvalidSettlementSettlesNothing() {
        JsonNode delivery = received(topic, "a");

        Reply settle = settle(settlement(delivery, "acknowledge", ""), settlement(delivery, "postpone", ""));
        Reply receive = node.receive(
                topic, "{\"count\": 0, \"settlements\": [" + settlement(delivery, "acknowledge", "") + "]}");

        assertThat(settle.status()).isEqualTo(400);
        assertThat(receive.status()).isEqualTo(400);
        assertThat(found("a").state()).isEqualTo(MessageState.LEASED);
    }
}
