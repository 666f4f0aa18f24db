package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.coordination.ReceivedLeases;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.template.receive.DefaultDelayQueueReceiver;
import io.delayqueue.web.api.ApiNode.Reply;
import io.delayqueue.web.waiting.LongPolls;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Receiving and settling over HTTP, which do not depend on the servlet container. */
class ReceiveTests {

    private final ApiNode node = ApiNode.shared();

    private static String topic() {
        return "work/" + UUID.randomUUID();
    }

    private void send(String topic, String id) {
        assertThat(node.send(PathNames.encode(topic), "{\"id\": \"" + id + "\", \"payload\": {\"n\": 1}}")
                        .status())
                .isEqualTo(201);
    }

    private JsonNode receive(String topic, String json) {
        return node.receive(topic, json).json().path("messages");
    }

    @Test
    void dueMessagesAreLeased() {
        String topic = topic();
        send(topic, "a/b");

        JsonNode delivery = node.receiveOne(topic);

        assertThat(delivery.path("topic").asString()).isEqualTo(topic);
        assertThat(delivery.path("id").asString()).isEqualTo("a/b");
        assertThat(delivery.path("attempt").asInt()).isEqualTo(1);
        assertThat(delivery.path("payload").toString()).isEqualTo("{\"n\":1}");
        assertThat(ApiNode.receipt(delivery)).matches("[0-9A-Za-z._-]+");
        assertThat(Instant.parse(delivery.path("leaseEnd").asString()))
                .isAfter(Instant.parse(delivery.path("dueAt").asString()));
        assertThat(receive(topic, "{\"count\": 5}").isEmpty()).isTrue();
        assertThat(node.settle(delivery, "acknowledge", "").status()).isEqualTo(204);
        assertThat(node.template().find(topic, "a/b")).isEmpty();
    }

    @Test
    void eachSettlementEndsTheLease() {
        String topic = topic();
        for (String verb : List.of("acknowledge", "retry", "dead-letter", "release")) {
            send(topic, verb);
            JsonNode delivery = node.receiveOne(topic);
            assertThat(node.settle(delivery, verb, "{}").status()).as(verb).isEqualTo(204);

            for (String late : List.of("acknowledge", "retry", "dead-letter", "extend", "release")) {
                Reply reply = node.settle(delivery, late, "{}");
                assertThat(reply.status()).as(late + " after " + verb).isEqualTo(410);
                assertThat(reply.problem()).isEqualTo("lease-lost");
                assertThat(reply.json().path("id").asString()).isEqualTo(verb);
            }
            node.template().cancel(topic, verb);
        }
    }

    @Test
    void lateSettlementDoesNotAffectTheNextDelivery() {
        String topic = topic();
        send(topic, "a");
        JsonNode first = node.receiveOne(topic);
        assertThat(node.settle(first, "retry", "{\"reason\": \"not yet\"}").status())
                .isEqualTo(204);
        JsonNode second = node.receiveOne(topic);

        assertThat(second.path("attempt").asInt()).isEqualTo(2);
        assertThat(second.path("lastFailure").asString()).isEqualTo("retry: not yet");
        assertThat(node.settle(first, "acknowledge", "").status()).isEqualTo(410);
        assertThat(node.template().find(topic, "a").orElseThrow().state()).isEqualTo(MessageState.LEASED);
        assertThat(node.settle(second, "acknowledge", "").status()).isEqualTo(204);
    }

    /** An operator may release the leases of a client that hoards them. */
    @Test
    void leasesAreKnownByTheNameOfTheClient() {
        String topic = topic();
        send(topic, "a");
        JsonNode first = node.receiveOne(topic);
        ReceivedLeases leases = node.bean(DefaultDelayQueueReceiver.class).givenLeases();

        leases.release(null, topic, Duration.ZERO);
        leases.release("tests", topic, Duration.ZERO);

        await().until(() -> node.template().find(topic, "a").orElseThrow().state() == MessageState.READY);
        assertThat(node.settle(first, "acknowledge", "").status()).isEqualTo(410);
        assertThat(node.receiveOne(topic).path("attempt").asInt()).isEqualTo(1);
    }

    @Test
    void postponeHasADelayAndDoesNotCountTheAttempt() {
        String topic = topic();
        send(topic, "a");
        JsonNode first = node.receiveOne(topic);
        assertThat(first.path("postponements").asInt()).isZero();
        for (String invalid : List.of("{}", "{\"delay\": \"-1s\"}", "{\"delay\": \"3651d\"}")) {
            assertThat(node.settle(first, "postpone", invalid).status())
                    .as(invalid)
                    .isEqualTo(400);
        }
        assertThat(node.settle(first, "postpone", "{\"delay\": \"1h\"}").status())
                .isEqualTo(204);

        MessageSnapshot postponed = node.template().find(topic, "a").orElseThrow();
        assertThat(postponed.state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(postponed.attempts()).isZero();
        assertThat(postponed.postponements()).isEqualTo(1);
        assertThat(node.settle(first, "acknowledge", "").status()).isEqualTo(410);
        node.template().reschedule(topic, "a", Duration.ZERO);
        JsonNode second = node.receiveOne(topic);
        assertThat(second.path("attempt").asInt()).isEqualTo(1);
        assertThat(second.path("postponements").asInt()).isEqualTo(1);
    }

    @Test
    void numberOfWaitingClientsIsLimited() {
        String topic = topic();
        send(topic, "a");
        JsonNode leased = node.receiveOne(topic);
        List<CompletableFuture<Reply>> waiting = Stream.generate(
                        () -> node.postAsync("/receive", ApiNode.receiving(topic, "{\"wait\": \"50s\"}")))
                .limit(ApiNode.MAX_WAITING)
                .toList();
        await().until(() -> node.bean(LongPolls.class).waiting() == ApiNode.MAX_WAITING);

        Reply rejected = node.receive(
                topic,
                "{\"wait\": \"1s\", \"settlements\": [{\"receipt\": \"" + ApiNode.receipt(leased)
                        + "\", \"action\": \"acknowledge\"}]}");

        assertThat(rejected.status()).isEqualTo(429);
        assertThat(rejected.problem()).isEqualTo("too-many-waiting");
        assertThat(rejected.header("Retry-After")).isEqualTo("1");
        assertThat(node.settle(leased, "acknowledge", "").status()).isEqualTo(204);
        for (int i = 0; i < ApiNode.MAX_WAITING; i++) {
            send(topic, "end" + i);
        }
        waiting.forEach(each -> assertThat(each.join().status()).isEqualTo(200));
        assertThat(node.receive(topic, "{}").status()).isEqualTo(200);
    }

    @Test
    void failureBeforeTheWaitEndsTheWait() {
        assertThat(node.post("/receive", ApiNode.receiving(topic(), "{\"wait\": \"30s\"}"), "Fail-Wait", "yes")
                        .status())
                .isEqualTo(500);

        await().until(() -> node.bean(LongPolls.class).waiting() == 0);
    }

    @Test
    void firstTopicWithDueMessagesIsReceived() {
        List<String> topics = List.of(topic(), topic(), topic());
        send(topics.get(2), "third");
        send(topics.get(1), "second");
        String body = "{\"topics\": [\"" + String.join("\", \"", topics) + "\"], \"count\": 5, \"wait\": \"50s\"}";

        JsonNode first = node.post("/receive", body).json().path("messages");
        JsonNode second = node.post("/receive", body).json().path("messages");

        assertThat(first).hasSize(1);
        assertThat(first.get(0).path("id").asString()).isEqualTo("second");
        assertThat(second.get(0).path("topic").asString()).isEqualTo(topics.get(2));
    }

    @Test
    void receiveSettlesEarlierMessages() {
        String topic = topic();
        send(topic, "a");
        String settlement =
                "{\"receipt\": \"" + ApiNode.receipt(node.receiveOne(topic)) + "\", \"action\": \"acknowledge\"}";
        send(topic, "b");
        String body = "{\"topics\": [\"" + topic + "\"], \"wait\": \"50s\", \"settlements\": [" + settlement + "]}";

        JsonNode next = node.post("/receive", body).json();
        JsonNode repeat = node.post("/receive", body.replace("50s", "0")).json();

        assertThat(next.path("messages").get(0).path("id").asString()).isEqualTo("b");
        assertThat(next.path("results").get(0).path("outcome").asString()).isEqualTo("settled");
        assertThat(node.template().find(topic, "a")).isEmpty();
        assertThat(repeat.path("messages")).isEmpty();
        assertThat(repeat.path("results").get(0).path("outcome").asString()).isEqualTo("lease-lost");
    }

    @Test
    void receiveMayReturnTheMessageThatItSettled() {
        String topic = topic();
        send(topic, "a");
        String receipt = ApiNode.receipt(node.receiveOne(topic));

        JsonNode next = node.post(
                        "/receive",
                        "{\"topics\": [\"" + topic + "\"], \"wait\": \"50s\", \"settlements\": [{\"receipt\": \""
                                + receipt + "\", \"action\": \"retry\"}]}")
                .json();

        assertThat(next.path("messages").get(0).path("attempt").asInt()).isEqualTo(2);
        assertThat(next.path("messages").get(0).path("receipt").asString()).isNotEqualTo(receipt);
        assertThat(next.path("results").get(0).path("outcome").asString()).isEqualTo("settled");
    }
}
