package io.delayqueue.web.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.message.Schedule;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.web.api.ApiNode.Reply;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Schedules over HTTP. */
class SchedulesTests {

    private static final String HOURLY = "{\"every\": \"1h\", \"payload\": {\"n\": 1}}";
    private static final ZoneId PARIS = ZoneId.of("Europe/Paris");

    private final ApiNode node = ApiNode.shared();
    private final String topic = "schedules-" + UUID.randomUUID();

    private String path(String rest) {
        return "/topics/" + topic + "/schedules" + rest;
    }

    private Reply put(String id, String json) {
        return node.put(path("/" + id), json);
    }

    private JsonNode found(String id) {
        Reply reply = node.get(path("/" + id));
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        return reply.json();
    }

    private Schedule.Snapshot stored(String id) {
        return node.bean(DelayQueueSchedules.class).find(topic, id).orElseThrow();
    }

    @Test
    void putCreatesAScheduleWithEachField() {
        Reply reply = put("user-7", """
                {"cron": "0 0 9 * * MON", "zone": "Europe/Paris", "spread": "10m", "payload": {"user": 7},
                 "headers": {"tags": "vip"}, "maxAttempts": 8, "lease": "45s", "expireAfter": "PT2H"}""");

        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        assertThat(reply.header("Location")).isEqualTo("/delayqueue/v1/topics/" + topic + "/schedules/user-7");
        assertThat(reply.json().propertyNames()).containsExactly("outcome", "next");
        assertThat(reply.json().path("outcome").asString()).isEqualTo("created");
        Schedule.Snapshot stored = stored("user-7");
        assertThat(stored.timing()).isEqualTo("cron 600000 Europe/Paris 0 0 9 * * MON");
        assertThat(stored.message().payload()).asString(UTF_8).isEqualTo("{\"user\": 7}");
        assertThat(stored.message().headers()).containsEntry("tags", "vip");
        assertThat(stored.message().limits().maxAttempts()).isEqualTo(8);
        assertThat(stored.message().limits().lease()).isEqualTo(Duration.ofSeconds(45));
        assertThat(stored.message().limits().expireAfter()).isEqualTo(Duration.ofHours(2));
        assertThat(stored.next(1))
                .containsExactly(Instant.parse(reply.json().path("next").asString()));
    }

    @Test
    void findReturnsEachField() {
        put("a", """
                {"cron": "0 0 9 * * MON", "zone": "Europe/Paris", "spread": "10m", "payload": {"user": 7},
                 "headers": {"tags": "vip"}, "maxAttempts": 8, "lease": "45s", "expireAfter": "PT2H"}""");
        JsonNode found = found("a");
        String first = found.path("next").path(0).asString();

        assertThat(found.toString())
                .isEqualTo("{\"topic\":\"" + topic
                        + "\",\"id\":\"a\",\"cron\":\"0 0 9 * * MON\",\"zone\":\"Europe/Paris\","
                        + "\"spreadMillis\":600000,\"paused\":false,\"next\":" + found.path("next") + ",\"skipped\":0,"
                        + "\"occurrence\":{\"state\":\"scheduled\",\"slot\":\"" + first + "\",\"dueAt\":\"" + first
                        + "\",\"attempts\":0},\"maxAttempts\":8,\"leaseMillis\":45000,\"expireAfterMillis\":7200000,"
                        + "\"headers\":{\"tags\":\"vip\"},\"payload\":{\"user\":7}}");
        assertThat(found.path("next").valueStream())
                .hasSize(5)
                .allMatch(next -> Instant.parse(next.asString()).atZone(PARIS).getHour() == 9);
    }

    @Test
    void payloadHasThreeForms() {
        put("text", "{\"every\": 5000, \"spread\": 0, \"payloadText\": \"Grüße, {\"}");
        put("bytes", "{\"every\": \"1h\", \"payloadBase64\": \"AP8K\"}");

        assertThat(found("text").path("payloadText").asString()).isEqualTo("Grüße, {");
        assertThat(found("text").path("everyMillis").asInt()).isEqualTo(5000);
        assertThat(found("text").has("spreadMillis")).isFalse();
        assertThat(found("bytes").path("payloadBase64").asString()).isEqualTo("AP8K");
    }

    @Test
    void putReportsWhatChanged() {
        String next = put("a", HOURLY).json().path("next").asString();
        put("b", "{\"every\": \"1h\", \"payload\": 1, \"headers\": {\"x\": \"1\", \"y\": \"2\"}}");

        Reply unchanged = put("a", HOURLY);
        Reply updated = put("a", "{\"every\": 3600000, \"payload\": 2, \"maxAttempts\": 3}");
        Reply retimed = put("a", "{\"every\": \"2h\", \"payload\": 2, \"maxAttempts\": 3}");
        Reply reordered = put("b", "{\"every\": \"1h\", \"payload\": 1, \"headers\": {\"y\": \"2\", \"x\": \"1\"}}");

        for (Reply reply : List.of(unchanged, updated, retimed, reordered)) {
            assertThat(reply.status()).isEqualTo(200);
            assertThat(reply.header("Location")).isEmpty();
        }
        assertThat(unchanged.text()).isEqualTo("{\"outcome\":\"unchanged\",\"next\":\"" + next + "\"}");
        assertThat(updated.text()).isEqualTo("{\"outcome\":\"updated\",\"next\":\"" + next + "\"}");
        assertThat(retimed.json().path("outcome").asString()).isEqualTo("retimed");
        assertThat(Instant.parse(retimed.json().path("next").asString())).isAfter(Instant.parse(next));
        assertThat(reordered.json().path("outcome").asString()).isEqualTo("unchanged");
        assertThat(found("a").path("payload").asInt()).isEqualTo(2);
    }

    @Test
    void occurrencesAreReceivedOneAfterAnother() {
        String slot = put("a", "{\"every\": \"1s\", \"payload\": 1}")
                .json()
                .path("next")
                .asString();

        node.settle(node.receiveOne(topic), "retry", "{\"delay\": \"1ms\"}");
        JsonNode first = node.receiveOne(topic);
        JsonNode running = found("a");
        node.settle(first, "acknowledge", "");
        JsonNode second = node.receiveOne(topic);

        assertThat(List.of(first, second))
                .allSatisfy(each -> assertThat(each.path("id").asString()).isEqualTo("a"));
        assertThat(first.path("slot").asString()).isEqualTo(slot);
        assertThat(Instant.parse(first.path("dueAt").asString())).isAfter(Instant.parse(slot));
        assertThat(second.path("slot")).isEqualTo(second.path("dueAt"));
        assertThat(Instant.parse(second.path("slot").asString())).isAfter(Instant.parse(slot));
        assertThat(running.path("occurrence").path("state").asString()).isEqualTo("leased");
        assertThat(running.has("outcome")).isFalse();
        JsonNode ended = found("a");
        assertThat(ended.path("outcome").asString()).isEqualTo("acknowledged");
        assertThat(ended.path("succeededAt")).isEqualTo(ended.path("endedAt"));
    }

    @Test
    void schedulesAreListedInPages() {
        List<String> ids = List.of("a", "b/%ü", "c~", "d", "ü");
        ids.forEach(id -> assertThat(put(PathNames.encode(id), HOURLY).status()).isEqualTo(201));

        List<JsonNode> listed = new ArrayList<>();
        String query = "?count=2";
        for (int pages = 0; !query.isEmpty(); pages++) {
            assertThat(pages).isLessThan(3);
            JsonNode page = node.get(path(query)).json();
            assertThat(page.path("schedules")).hasSizeLessThanOrEqualTo(2);
            page.path("schedules").forEach(listed::add);
            query = page.has("next") ? "?count=2&page=" + page.path("next").asString() : "";
        }

        assertThat(listed.stream().map(each -> each.path("id").asString())).isEqualTo(ids);
        assertThat(listed).allSatisfy(each -> assertThat(each.path("next")).hasSize(1));
        assertThat(node.get("/topics/no-" + topic + "/schedules").text()).isEqualTo("{\"schedules\":[]}");
    }

    @Test
    void pausedScheduleHasNoNextTimeUntilItIsResumed() {
        put("a", HOURLY);

        assertThat(node.post(path("/a/pause"), "").status()).isEqualTo(204);
        assertThat(node.post(path("/a/pause"), "{}").status()).isEqualTo(204);
        assertThat(found("a").path("paused").asBoolean()).isTrue();
        assertThat(found("a").path("next")).isEmpty();
        assertThat(found("a").has("occurrence")).isFalse();
        assertThat(put("a", HOURLY).text()).isEqualTo("{\"outcome\":\"unchanged\"}");

        assertThat(node.post(path("/a/resume"), "").status()).isEqualTo(204);
        assertThat(found("a").path("paused").asBoolean()).isFalse();
        assertThat(found("a").path("next")).hasSize(5);
    }

    @Test
    void removedScheduleIsAbsent() {
        put("a", HOURLY);

        assertThat(node.delete(path("/a")).status()).isEqualTo(204);

        assertThat(node.get("/topics/" + topic + "/messages/a").status()).isEqualTo(404);
        for (Reply reply : List.of(
                node.get(path("/a")),
                node.delete(path("/a")),
                node.post(path("/a/pause"), ""),
                node.post(path("/a/resume"), ""),
                node.post(path("/a/run"), ""))) {
            assertThat(reply.status()).isEqualTo(404);
            assertThat(reply.problem()).isEqualTo("not-found");
            assertThat(reply.detail()).isEqualTo("Topic '" + topic + "' has no schedule 'a'.");
            assertThat(reply.json().path("topic").asString()).isEqualTo(topic);
            assertThat(reply.json().path("id").asString()).isEqualTo("a");
        }
    }

    @Test
    void ordinaryMessageIsNoSchedule() {
        node.send(topic, "{\"id\": \"a\", \"payload\": 1, \"delay\": \"1h\"}");

        Reply duplicate = put("a", HOURLY);

        assertThat(duplicate.status()).isEqualTo(409);
        assertThat(duplicate.problem()).isEqualTo("duplicate");
        assertThat(duplicate.detail())
                .isEqualTo("Schedule 'a' was not stored: a message with its id is scheduled or being handled in topic '"
                        + topic + "'. Cancel that message first, or use another id.");
        assertThat(duplicate.json().path("id").asString()).isEqualTo("a");
        assertThat(node.get(path("/a")).status()).isEqualTo(404);
        assertThat(node.delete(path("/a")).status()).isEqualTo(404);
    }

    @Test
    void sendWithTheIdOfAScheduleIsADuplicate() {
        put("a", HOURLY);

        assertThat(node.send(topic, "{\"id\": \"a\", \"payload\": 1, \"onDuplicate\": \"replace\"}")
                        .status())
                .isEqualTo(409);
    }

    @Test
    void runSendsTheMessageOnce() {
        put("a", """
                {"every": "1h", "payload": {"user": 7}, "headers": {"tags": "vip"}, "maxAttempts": 8}""");
        JsonNode before = found("a");

        Reply run = node.post(path("/a/run"), "");

        assertThat(run.status()).as(run.text()).isEqualTo(201);
        String id = run.json().path("id").asString();
        assertThat(id).isNotEqualTo("a").hasSize(22);
        assertThat(run.json().path("outcome").asString()).isEqualTo("accepted");
        JsonNode sent = node.exchange(HttpRequest.newBuilder(URI.create(node.site() + run.header("Location")))
                        .header("Authorization", "Bearer " + ApiNode.TOKEN))
                .json();
        assertThat(sent.path("id").asString()).isEqualTo(id);
        assertThat(sent.path("state").asString()).isEqualTo("ready");
        assertThat(sent.path("headers")).isEqualTo(before.path("headers"));
        assertThat(sent.path("payload")).isEqualTo(before.path("payload"));
        assertThat(found("a")).isEqualTo(before);
    }

    @Test
    void repeatedRunWithItsKeySendsNothing() {
        put("a", HOURLY);
        put("b", HOURLY);
        String key = UUID.randomUUID().toString();

        Reply first = node.post(path("/a/run"), "", IdempotencyKey.HEADER, key);
        node.settle(node.receiveOne(topic), "acknowledge", "");
        Reply repeated = node.post(path("/a/run"), "", IdempotencyKey.HEADER, key);
        Reply ofAnother = node.post(path("/b/run"), "", IdempotencyKey.HEADER, key);
        Reply send = node.send(topic, "{\"payload\": 1}", IdempotencyKey.HEADER, key);
        Reply other = node.post(path("/a/run"), "", IdempotencyKey.HEADER, key + "-2");

        assertThat(first.status()).isEqualTo(201);
        assertThat(repeated.status()).isEqualTo(201);
        assertThat(repeated.text()).isEqualTo(first.text());
        assertThat(ofAnother.problem()).isEqualTo("key-reused");
        assertThat(send.problem()).isEqualTo("key-reused");
        assertThat(other.json().path("id")).isNotEqualTo(first.json().path("id"));
        assertThat(node.receiveOne(topic).path("id")).isEqualTo(other.json().path("id"));
        assertThat(node.receive(topic, "{}").json().path("messages")).isEmpty();
    }

    @Test
    void fullTopicRejectsRunsButNoSchedules() {
        put("a", HOURLY);
        node.bean(DelayQueueAdmin.class).limit(topic, new TopicLimits(null, null, 1L));

        Reply run = node.post(path("/a/run"), "");

        assertThat(run.status()).as(run.text()).isEqualTo(429);
        assertThat(run.problem()).isEqualTo("topic-full");
        assertThat(put("b", HOURLY).status()).isEqualTo(201);
    }

    @Test
    void scheduleOfAnOrderedTopicHasAKey() {
        String id = UUID.randomUUID().toString();
        String path = "/topics/" + ApiNode.ORDERED + "/schedules/" + id;

        Reply without = node.put(path, HOURLY);
        Reply keyed = node.put(path, "{\"every\": \"1h\", \"payload\": 1, \"key\": \"" + id + "\"}");

        assertThat(without.status()).isEqualTo(400);
        assertThat(without.detail())
                .isEqualTo(
                        "The message can't be sent: it has no key, but topic accounts is ordered. Set 'key' to what is"
                                + " handled in order, such as the number of an account.");
        assertThat(keyed.status()).as(keyed.text()).isEqualTo(201);
        assertThat(node.get(path).json().path("key").asString()).isEqualTo(id);
        node.delete(path);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a/b",
                "a\\b",
                "a;b",
                "100%",
                "~tilde",
                ".",
                "..",
                "a b",
                " a ",
                "Grüße😀",
                "+&=?#",
                "a\nb",
                "{x}:@",
                "run",
                "%2F",
                "a//b",
                "[]^`|\"<>"
            })
    void anyIdHasAPath(String id) {
        String segment = PathNames.encode(id);

        Reply created = put(segment, HOURLY);

        assertThat(created.status()).as(created.text()).isEqualTo(201);
        assertThat(node.exchange(HttpRequest.newBuilder(URI.create(node.site() + created.header("Location")))
                                .header("Authorization", "Bearer " + ApiNode.TOKEN))
                        .json()
                        .path("id")
                        .asString())
                .isEqualTo(id);
        assertThat(node.post(path("/" + segment + "/pause"), "").status()).isEqualTo(204);
        assertThat(stored(id).paused()).isTrue();
        assertThat(node.post(path("/" + segment + "/resume"), "").status()).isEqualTo(204);
        assertThat(node.post(path("/" + segment + "/run"), "").status()).isEqualTo(201);
        assertThat(node.delete(path("/" + segment)).status()).isEqualTo(204);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                     | The field 'every' or 'cron' is required. Set one of the two.
                    "every": "1h", "cron": "@daily", "zone": "UTC" | The field 'cron' must not be combined with 'every'. Set one of the two.
                    "every": "1h", "zone": "UTC" | The field 'zone' must not be combined with 'every'. Remove it.
                    "zone": "UTC" | The field 'every' or 'cron' is required. Set one of the two.
                    "cron": "@daily" | The field 'zone' is required with 'cron'. Set a time zone such as "Europe/Paris".
                    "cron": "@daily", "zone": "Mars" | The field 'zone' must be a time zone such as "Europe/Paris", but was Mars.
                    "cron": "@daily", "zone": "" | The field 'zone' must be a time zone such as "Europe/Paris", but was .
                    "cron": "0 0 9 * *", "zone": "UTC" | The field 'cron' must be a cron expression such as 0 30 2 * * MON-FRI or a macro such as @daily, but was 0 0 9 * * (Cron expression must consist of 6 fields (found 5 in "0 0 9 * *")).
                    "cron": "0 0 0 30 2 *", "zone": "UTC" | The field 'cron' must match again and again, but 0 0 0 30 2 * has no slot in zone UTC.
                    "cron": 5, "zone": "UTC" | The field 'cron' must be a string, but was 5.
                    "every": "999ms" | The field 'every' must be from 1 s to 10 years, but was 999 ms.
                    "every": "1s1us" | The field 'every' must be in whole milliseconds, but was 1 s 1000 ns.
                    "every": "often" | The field 'every' must be a duration such as "PT10M", "10m" or 600000 (ms), but was "often".
                    "every": "1h", "spread": "1h" | The field 'spread' must be from 0 s to less than the period of 1 h, but was 1 h.
                    "cron": "@daily", "zone": "UTC", "spread": "25h" | The field 'spread' must be from 0 s to 1 day, but was 1 day 1 h.
                    "every": "1h", "payload": null | The field 'payload' must not be null. Set another JSON value.
                    "every": "1h", "payloadText": "a" | The field 'payload' must not be combined with 'payloadText' or 'payloadBase64'. Set one of the three.
                    "every": "1h", "maxAttempts": 0 | The field 'maxAttempts' must be 1 or more, but was 0.
                    "every": "1h", "lease": "1ms" | The field 'lease' must be from 1 s to 1 day, but was 1 ms.
                    "every": "1h", "expireAfter": -1 | The field 'expireAfter' must be from 0 s to 1,000 years, but was -1 ms.
                    "every": "1h", "key": "a" | The message can't be sent: it has a key, but topic TOPIC is registered without keys. Remove 'key'.
                    "every": "1h", "delay": "1m" | Unknown field 'delay': the fields are every, cron, zone, spread, key, payload, payloadText, payloadBase64, headers, maxAttempts, lease, expireAfter.
                    """)
    void invalidScheduleIsRejected(String fields, String sentence) {
        node.bean(DelayQueueSchedules.class)
                .put(Schedule.of(topic, "other").every(Duration.ofHours(1)).payload("p"));
        String payload = String.valueOf(fields).contains("\"payload\"") ? "" : "\"payload\": 1";
        String body = fields == null ? payload : payload.isEmpty() ? fields : fields + ", " + payload;

        Reply reply = put("a", "{" + body + "}");

        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        assertThat(reply.problem()).isEqualTo("invalid-request");
        assertThat(reply.detail()).isEqualTo(sentence.replace("TOPIC", topic));
        assertThat(node.get(path("/a")).status()).isEqualTo(404);
    }

    @Test
    void payloadIsRequired() {
        assertThat(put("a", "{\"every\": \"1h\"}").detail())
                .isEqualTo("The field 'payload' is required. Set any JSON value, a string in 'payloadText', or bytes in"
                        + " 'payloadBase64'.");
    }

    @Test
    void largePayloadIsRejected() {
        Reply reply = put("a", "{\"every\": \"1h\", \"payloadText\": \"" + "x".repeat(1024 * 1024 + 1) + "\"}");

        assertThat(reply.status()).isEqualTo(413);
        assertThat(reply.detail())
                .isEqualTo("The message is too large: its payload has 1048577 bytes, but"
                        + " delayqueue.limits.max-payload-size is 1048576 bytes.");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, '', 403, 403",
        "GET, /a, 200, 403",
        "PUT, /a, 200, 403",
        "POST, /a/pause, 204, 403",
        "POST, /a/resume, 204, 403",
        "POST, /a/run, 201, 403",
        "DELETE, /a, 204, 403"
    })
    void producersManageSchedules(String method, String rest, int producer, int consumer) {
        put("a", HOURLY);
        String body = method.equals("PUT") ? HOURLY : "";

        assertThat(node.exchangeAs(ApiNode.CONSUMER, method, path(rest), body).status())
                .isEqualTo(consumer);
        assertThat(node.exchangeAs("no-such-token-at-all", method, path(rest), body)
                        .status())
                .isEqualTo(401);
        assertThat(node.exchangeAs(ApiNode.PRODUCER, method, path(rest), body).status())
                .isEqualTo(producer);
    }
}
