package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.template.receive.Receipt;
import io.delayqueue.testing.Dump;
import io.delayqueue.testing.RawRedis;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import tools.jackson.databind.JsonNode;

/** Names that a client forges, with a meaning in the stored data, change nothing in Redis. */
class ForgeryTests {

    private static final String SENTINEL = "~".repeat(257);
    private static final List<String> NAMES = List.of("-", "=", "@", "@-", "+1", "-1", "0", "#version", SENTINEL);

    private final ApiNode node = ApiNode.shared();
    private final String topic = "forged-" + UUID.randomUUID();
    private RawRedis redis;
    private Receipt receipt;
    private String deadLetter;
    private String before;

    @BeforeEach
    void fill() {
        redis = new RawRedis(
                node.bean(DataRedisConnectionDetails.class).getStandalone().getPort());
        node.send(topic, "{\"id\": \"dead-lettered\", \"payload\": 1}");
        node.settle(node.receiveOne(topic), "dead-letter", "{}");
        node.send(topic, "{\"id\": \"retried\", \"payload\": 1}");
        node.settle(node.receiveOne(topic), "retry", "{\"delay\": \"1h\"}");
        node.send(topic, "{\"id\": \"leased\", \"payload\": 1}");
        JsonNode leased = node.receiveOne(topic);
        node.send(topic, "{\"id\": \"scheduled\", \"payload\": 1, \"delay\": \"1h\"}");
        receipt = Receipt.parse(ApiNode.receipt(leased));
        deadLetter = node.get("/topics/" + topic + "/dead-letters")
                .json()
                .path("deadLetters")
                .get(0)
                .path("deadLetterId")
                .asString();
        before = state();
        assertThat(before).contains("leased", "retried", "scheduled", deadLetter);
        assertThat(receipt.id()).isEqualTo("leased");
    }

    @AfterEach
    void nothingHasChanged() {
        assertThat(state()).isEqualTo(before);
        redis.close();
    }

    /** All keys of the topic, except those of pollers. */
    private String state() {
        String namespace = node.context().getEnvironment().getRequiredProperty("delayqueue.namespace");
        return Dump.of(redis, namespace + ":{" + topic)
                .lines()
                .filter(line -> !line.contains("meta\""))
                .collect(Collectors.joining("\n"));
    }

    @Test
    void forgedLeaseIsRejected() {
        String real = receipt.delivery();
        NAMES.forEach(name -> assertForged("leased", "1.0.0." + name));
        NAMES.forEach(name -> assertForged("retried", name));
        assertGone("leased", real + "0", "acknowledge", "");
        assertGone("leased", real.substring(1 + real.lastIndexOf('.')), "acknowledge", "");
        assertGone("retried", real, "acknowledge", "");
    }

    private void assertGone(String id, String forged, String verb, String body) {
        String path = "/leases/" + new Receipt(topic, id, forged) + "/" + verb;
        assertThat(node.post(path, body).status()).as(path).isEqualTo(410);
    }

    /** Some names are not valid in a receipt. */
    private void assertForged(String id, String forged) {
        String text = new Receipt(topic, id, forged).toString();
        int expected = Receipt.parse(text) == null ? 400 : 410;
        assertThat(node.post("/leases/" + PathNames.encode(text) + "/release", "")
                        .status())
                .as(text)
                .isEqualTo(expected);
    }

    @Test
    void forgedIdIsUnknown() {
        for (String id : NAMES) {
            String path = "/topics/" + topic + "/messages/" + PathNames.encode(id);
            List.of(
                            node.get(path),
                            node.delete(path),
                            node.post(path + "/reschedule", "{\"delay\": 0}"),
                            node.post("/leases/" + new Receipt(topic, id, receipt.delivery()) + "/acknowledge", ""))
                    .forEach(reply -> assertThat(reply.status()).as(id).isIn(400, 404, 410));
        }
    }

    @Test
    void forgedDeadLetterIsUnknown() {
        List<String> deadLetters = Stream.concat(
                        NAMES.stream(),
                        Stream.of(
                                "deadLettered@-",
                                "deadLettered@",
                                "@" + deadLetter,
                                deadLetter + "0",
                                "retried@-",
                                "leased"))
                .toList();
        for (String forged : deadLetters) {
            String path = "/topics/" + topic + "/dead-letters/" + PathNames.encode(forged);
            List.of(node.get(path), node.delete(path), node.post(path + "/replay", "{}"))
                    .forEach(reply -> assertThat(reply.status()).as(forged).isIn(400, 404));
        }
    }
}
