package io.delayqueue.web.compat;

import static io.delayqueue.web.compat.CompatContract.NOTHING;
import static io.delayqueue.web.compat.CompatContract.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.testing.Dump;
import io.delayqueue.testing.RawRedis;
import io.delayqueue.testing.SystemClock;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/** The requests of ouqiang/delay-queue and their effects, which do not depend on the servlet container. */
@Timeout(120)
class CompatRequestTests {

    private final CompatNode node = CompatNode.shared();

    private static String failure(String message) {
        return "{\"code\":1,\"message\":\"" + message + "\",\"data\":null}";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "push|{}|job id不能为空",
                "push|null|job id不能为空",
                "push||解析json失败",
                "push|[]|解析json失败",
                "push|{\"id\":\" \\u0085 \"}|job id不能为空",
                "push|{\"id\":\"1\",\"delay\":\"x\"}|解析json失败",
                "push|{\"id\":\"1\"}|topic 不能为空",
                "push|{\"id\":\"1\",\"topic\":\"t\"}|delay 取值范围1 - (2^31 - 1)",
                "push|{\"id\":\"1\",\"topic\":\"t\",\"delay\":-1,\"ttr\":0}|delay 取值范围1 - (2^31 - 1)",
                "push|{\"id\":\"1\",\"topic\":\"t\",\"delay\":2147483649,\"ttr\":1}|delay 取值范围1 - (2^31 - 1)",
                "push|{\"id\":\"1\",\"topic\":\"t\",\"delay\":1}|ttr 取值范围1 - 86400",
                "push|{\"id\":\"1\",\"topic\":\"t\",\"delay\":1,\"ttr\":86401}|ttr 取值范围1 - 86400",
                "pop|{}|topic不能为空",
                "pop|{\"topic\":\" \"}|topic不能为空",
                "pop|{\"topic\":\",\"}|topic不能为空",
                "pop|{\"topic\":1}|解析json失败",
                "finish|{}|job id不能为空",
                "delete|{\"id\":\"\"}|job id不能为空",
                "get|{\"id\":null}|job id不能为空",
                "get|{\"id\":1}|解析json失败"
            })
    void errorsHaveTheWordsOfTheOriginal(String verb, String json, String message) {
        assertThat(node.ask(verb, json == null ? "" : json)).isEqualTo(failure(message));
    }

    @Test
    void jobIsFoundById() {
        long before = SystemClock.now().getEpochSecond();
        node.push("look", " l1 ", 2147483648L, 86400, "  <a>&amp; ");
        assertThat(node.template()
                        .find("look", "l1")
                        .orElseThrow()
                        .envelope()
                        .limits()
                        .maxAttempts())
                .isEqualTo(Integer.MAX_VALUE);
        String found = node.ask("get", "{\"ID\":\"l1\"}");

        assertThat(found)
                .matches(
                        "\\{\"code\":0,\"message\":\"操作成功\",\"data\":\\{\"topic\":\"look\",\"id\":\"l1\",\"delay\":\\d+,"
                                + "\"ttr\":86400,\"body\":\"\\\\u003ca\\\\u003e\\\\u0026amp;\"}}");
        long due = Long.parseLong(found.replaceAll(".*\"delay\":(\\d+).*", "$1"));
        assertThat(due).isBetween(before + 2147483648L, before + 2147483648L + 60);
        assertThat(node.ask("delete", "{\"id\":\"l1\"}")).isEqualTo(NOTHING);
        assertThat(node.ask("get", "{\"id\":\"l1\"}")).isEqualTo(NOTHING);
    }

    @Test
    void finishOfAnOldJobKeepsANewPush() {
        node.push("again", "n1", 1, 60, "old");
        assertThat(node.ask("pop", "{\"topic\":\"again\"}")).isEqualTo(job("n1", "old"));
        node.push("again", "n1", 3600, 60, "new");

        assertThat(node.ask("finish", "{\"id\":\"n1\"}")).isEqualTo(NOTHING);

        assertThat(node.ask("get", "{\"id\":\"n1\"}")).contains("\"body\":\"new\"");
        node.template().reschedule("again", "n1", Duration.ZERO);
        assertThat(node.ask("pop", "{\"topic\":\"again\"}")).isEqualTo(job("n1", "new"));
        assertThat(node.ask("finish", "{\"id\":\"n1\"}")).isEqualTo(NOTHING);
        assertThat(node.ask("get", "{\"id\":\"n1\"}")).isEqualTo(NOTHING);
    }

    @Test
    void reservedNamesAreNoIds() {
        node.push("forged", "g1", 3600, 60, "one");
        node.push("forged", "g2", 1, 60, "two");
        assertThat(node.ask("pop", "{\"topic\":\"forged\"}")).isEqualTo(job("g2", "two"));
        int port = node.bean(DataRedisConnectionDetails.class).getStandalone().getPort();
        try (RawRedis redis = new RawRedis(port)) {
            String before = stored(redis);
            assertThat(before).contains("g1", "g2");

            for (String id : List.of("-", "=", "@", "+1", "-1", "0", "topic", "g1@-", "%00", "~".repeat(257))) {
                for (String verb : List.of("finish", "delete", "get")) {
                    assertThat(node.ask(verb, "{\"id\":\"" + id + "\"}"))
                            .as(verb + " " + id)
                            .endsWith("\"data\":null}");
                }
            }

            assertThat(stored(redis)).isEqualTo(before);
        }
        List.of("g1", "g2").forEach(id -> node.ask("delete", "{\"id\":\"" + id + "\"}"));
    }

    /** All keys of the topic, except those of pollers. */
    private String stored(RawRedis redis) {
        String namespace = node.context().getEnvironment().getRequiredProperty("delayqueue.namespace");
        return Dump.of(redis, namespace + ":{forged")
                .lines()
                .filter(line -> !line.contains("meta\""))
                .collect(Collectors.joining("\n"));
    }

    @Test
    void topicsHavePriorityInTheirOrder() {
        node.template().send(message("b", "o1", "low"));
        node.template().send(message("a", "o2", "high"));
        node.template().send(message(" c", "o3", "blank"));

        assertThat(node.ask("pop", "{\"topic\":\"a,b\"}")).isEqualTo(job("o2", "high"));
        assertThat(node.ask("pop", "{\"topic\":\"a,b\"}")).isEqualTo(job("o1", "low"));
        assertThat(node.ask("pop", "{\"topic\":\"a, c\"}")).isEqualTo(job("o3", "blank"));
        List.of("o1", "o2", "o3").forEach(id -> node.ask("finish", "{\"id\":\"" + id + "\"}"));
        assertThat(node.template().find("a", "o2")).isEmpty();
        assertThat(node.template().find("b", "o1")).isEmpty();
    }

    private static DelayMessage message(String topic, String id, String payload) {
        return DelayMessage.to(topic)
                .id(id)
                .payload(payload)
                .lease(Duration.ofMinutes(1))
                .build();
    }

    @Test
    void javaAndClientsShareJobs() {
        node.push("mixed", "m1", 1, 60, "from a client");
        List<LeasedDelivery> received = node.bean(DelayQueueReceiver.class).receive("mixed", 1, Duration.ofMinutes(1));
        assertThat(received).hasSize(1);
        assertThat(received.get(0).payload(String.class)).isEqualTo("from a client");
        assertThat(received.get(0).acknowledge().join()).isTrue();
        assertThat(node.ask("get", "{\"id\":\"m1\"}")).isEqualTo(NOTHING);

        node.template().send(message("mixed", "m2", "from Java"));
        assertThat(node.ask("pop", "{\"topic\":\"mixed\"}")).isEqualTo(job("m2", "from Java"));
        assertThat(node.ask("get", "{\"id\":\"m2\"}")).contains("\"topic\":\"mixed\"", "\"ttr\":60,");
        assertThat(node.ask("finish", "{\"id\":\"m2\"}")).isEqualTo(NOTHING);
        assertThat(node.template().find("mixed", "m2")).isEmpty();
    }
}
