package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.template.receive.Receipt;
import io.delayqueue.web.api.ApiNode.Reply;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid requests are rejected with a sentence and change nothing. */
class StrictnessTests {

    private static final String RECEIPT = new Receipt("strict", "a", "1.0.0.x-1").toString();
    private static final String RELEASE = "{\"receipt\": \"" + RECEIPT + "\", \"action\": \"release\"}";

    private final ApiNode node = ApiNode.shared();
    private final String topic = "strict-" + UUID.randomUUID();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                     | The field 'payload' is required. Set any JSON value, a string in 'payloadText', or bytes in 'payloadBase64'.
                    {"payload": null} | The field 'payload' must not be null. Set another JSON value.
                    {"payload": 1, "payloadText": "a"} | The field 'payload' must not be combined with 'payloadText' or 'payloadBase64'. Set one of the three.
                    {"payload": 1, "dealy": "1m"} | Unknown field 'dealy': the fields are id, key, delay, dueAt, debounce, payload, payloadText, payloadBase64, headers, maxAttempts, lease, expireAfter, expireAt, onDuplicate.
                    {"payload": 1, "payload": 2} | The field 'payload' must not be repeated.
                    {"payload": 1, "delay": "soon"} | The field 'delay' must be a duration such as "PT10M", "10m" or 600000 (ms), but was "soon".
                    {"payload": 1, "delay": "10"} | The field 'delay' must be a duration such as "PT10M", "10m" or 600000 (ms), but was "10".
                    {"payload": 1, "delay": -1} | The field 'delay' must be from 0 s to 1,000 years, but was -1 ms.
                    {"payload": 1, "delay": 1.5} | The field 'delay' must be a duration such as "PT10M", "10m" or 600000 (ms), but was 1.5.
                    {"payload": 1, "delay": true} | The field 'delay' must be a duration such as "PT10M", "10m" or 600000 (ms), but was true.
                    {"payload": 1, "delay": "5000d"} | The message can't be sent: it is due in 5,000 days, but delayqueue.limits.max-delay is 3,653 days.
                    {"payload": 1, "lease": "1ms"} | The field 'lease' must be from 1 s to 1 day, but was 1 ms.
                    {"payload": 1, "dueAt": "tomorrow"} | The field 'dueAt' must be a date such as "2030-01-31T12:00:00Z", but was "tomorrow".
                    {"payload": 1, "dueAt": "2030-01-31T12:00:00Z", "delay": 1} | The field 'dueAt' must not be combined with 'delay'. Set one of the two.
                    {"payload": 1, "id": "a", "debounce": {}} | The field 'debounce.quiet' is required.
                    {"payload": 1, "id": "a", "debounce": 5} | The field 'debounce' must be an object, but was 5.
                    {"payload": 1, "id": "a", "debounce": {"quiet": 5}} | The field 'debounce.atTheLatest' is required.
                    {"payload": 1, "id": "a", "debounce": {"quiet": 0, "atTheLatest": 5}} | The field 'debounce.quiet' must be from 1 ms to 1,000 years, but was 0 s.
                    {"payload": 1, "id": "a", "debounce": {"quiet": 5, "atTheLatest": 4}} | The field 'debounce.atTheLatest' must not be less than 'quiet'.
                    {"payload": 1, "id": "a", "debounce": {"quiet": 5, "atTheLatest": "5000d"}} | The message can't be sent: it is due in 5,000 days, but delayqueue.limits.max-delay is 3,653 days.
                    {"payload": 1, "id": "a", "debounce": {"quiet": 5, "atTheLatest": 5}, "delay": 1} | The field 'debounce' must not be combined with 'delay' or 'dueAt'. Set one of the three.
                    {"payload": 1, "id": "a", "debounce": {"quiet": 5, "atTheLatest": 5}, "onDuplicate": "keep"} | The message can't be sent: debounce and onDuplicate exclude each other: a debounced message replaces the live one.
                    {"payload": 1, "debounce": {"quiet": 5, "atTheLatest": 5}} | The message can't be sent: debounce requires an id; set the one that the sends have in common.
                    {"payload": 1, "maxAttempts": 0} | The field 'maxAttempts' must be 1 or more, but was 0.
                    {"payload": 1, "maxAttempts": 1.0} | The field 'maxAttempts' must be an integer, but was 1.0.
                    {"payload": 1, "maxAttempts": "3"} | The field 'maxAttempts' must be an integer, but was "3".
                    {"payload": 1, "id": 4711} | The field 'id' must be a string, but was 4711.
                    {"payload": 1, "id": " "} | The message can't be sent: A message id must not be blank.
                    {"payload": 1, "key": 4711} | The field 'key' must be a string, but was 4711.
                    {"payload": 1, "key": " "} | The message can't be sent: A message key must not be blank.
                    {"payload": 1, "key": "a"} | The message can't be sent: it has a key, but topic TOPIC is registered without keys. Remove 'key'.
                    {"payload": 1, "id": "\\ud800"} | The field 'id' must not contain half a surrogate pair, which UTF-8 cannot encode.
                    {"payload": 1, "headers": {"a": 1}} | The field 'headers.a' must be a string, but was 1.
                    {"payload": 1, "headers": ["a"]} | The field 'headers' must be an object of strings such as {"tags": "vip"}, but was ["a"].
                    {"payload": 1, "headers": {"": "a"}} | The message can't be sent: A header's name must not be blank.
                    {"payload": 1, "onDuplicate": "REPLACE"} | The field 'onDuplicate' must be "reject" or "keep" or "replace" or "after_running", but was "REPLACE".
                    {"payload": 1, "dueAt": "1970-01-21T18:53:20Z"} | The message can't be sent: dueAt must be between 2000 and 9999, but was 1970-01-21T18:53:20Z (seconds taken for milliseconds?).
                    {"payload": 1, "expireAt": "1970-01-21T18:53:20Z"} | The message can't be sent: expireAt must be between 2000 and 9999, but was 1970-01-21T18:53:20Z (seconds taken for milliseconds?).
                    {"payload": 1, "expireAfter": 1, "expireAt": "2030-01-31T12:00:00Z"} | The message can't be sent: Set expireAfter or expireAt, not both.
                    {"payloadBase64": "%"} | The field 'payloadBase64' must be bytes in Base64, without line breaks, but was "%".
                    [1] | The body must be a JSON object.
                    {"payload": 1} {} | The body must be one JSON object without trailing content.
                    """)
    void invalidSendIsRejected(String body, String sentence) {
        Reply reply = node.send(topic, filled(body), "Idempotency-Key", "corrected");

        rejected(reply, sentence.replace("TOPIC", topic));
        // the key is not reserved, so that the corrected request can have the same key
        assertThat(node.send(topic, "{\"payload\": \"mended\"}", "Idempotency-Key", "corrected")
                        .status())
                .isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "{\"payload\": tru}",
                "{'payload': 1}",
                "{\"payload\": 01}",
                "{\"payload\": NaN}",
                "{\"payload\": [1,]}",
                "{\"payload\": \"\u0001\"}",
                "\uFEFF{\"payload\": 1}",
                "{\"payload\": 1} x"
            })
    void invalidJsonIsRejectedWithItsLocation(String body) {
        Reply reply = node.send(topic, body);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.detail()).matches("The body is not valid JSON in line 1, column \\d+: .+");
    }

    @Test
    void aBodyIsInUtf8() {
        byte[] latin = "{\"payload\": \"Grüße\"}".getBytes(StandardCharsets.ISO_8859_1);

        Reply reply = node.exchange(node.request("/topics/" + topic + "/messages")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(latin)));

        rejected(reply, "The body must be in UTF-8.");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    /receive |  | The field 'topics' is required. Set an array.
                    /receive | {"topics": []} | The field 'topics' must have at least one element.
                    /receive | {"topics": "t"} | The field 'topics' must be an array, but was "t".
                    /receive | {"topics": ["t", 1]} | The field 'topics[1]' must be a string, but was 1.
                    /receive | {"topics": [null]} | The field 'topics[0]' must be a string, but was null.
                    /receive | {"topics": ["t"], "count": 0} | The field 'count' must be 1 or more, but was 0.
                    /receive | {"topics": ["t"], "count": 101} | The field 'count' must be an integer from 1 to 100 (delayqueue.http.api.max-count), but was 101.
                    /receive | {"topics": ["t"], "wait": "61s"} | The field 'wait' must be at most 1 min (delayqueue.http.api.max-wait), but was 1 min 1 s.
                    /receive | {"topics": ["t"], "waitTime": 1} | Unknown field 'waitTime': the fields are topics, count, wait, lease, settlements.
                    /receive | {"topics": ["t"], "settlements": [{}]} | The field 'settlements[0].receipt' is required. Set the receipt of a received message.
                    /topics/strict/messages/batch | {} | The field 'messages' is required. Set an array.
                    /topics/strict/messages/batch | {"messages": []} | The field 'messages' must have at least one element.
                    /topics/strict/messages/batch | {"messages": [{"payload": 1}, {"payload": 1, "delay": "x"}]} | The field 'messages[1].delay' must be a duration such as "PT10M", "10m" or 600000 (ms), but was "x".
                    /topics/strict/messages/batch | {"messages": [{"payload": 1, "x": 1}]} | Unknown field 'messages[0].x': the fields are id, key, delay, dueAt, debounce, payload, payloadText, payloadBase64, headers, maxAttempts, lease, expireAfter, expireAt, onDuplicate.
                    /topics/strict/messages/batch | {"messages": [{"payload": 1, "id": ""}]} | The message can't be sent: A message id must not be blank.
                    /leases/RECEIPT/acknowledge | {"x": 1} | Unknown field 'x': the body must be empty.
                    /leases/RECEIPT/retry | {"delay": "4000d"} | The field 'delay' must be from 0 s to 3,650 days, but was 4,000 days.
                    /topics/strict/dead-letters/a/replay | {"delay": "5000d"} | The replay is rejected: it is due in 5,000 days, but delayqueue.limits.max-delay is 3,653 days.
                    /settle |  | The field 'settlements' is required. Set an array.
                    /settle | {"settlements": []} | The field 'settlements' must have at least one element.
                    /settle | {"settlements": [RELEASE, 1]} | The field 'settlements[1]' must be an object, but was 1.
                    /settle | {"settlements": [{"receipt": "RECEIPT", "action": "release", "x": 1}]} | Unknown field 'settlements[0].x': the fields are receipt, action, delay, reason, lease.
                    /leases/x/acknowledge |  | The path must contain the receipt of a received message, but contained 'x'.
                    /leases/_w.YQ.1.0.0.x-1/acknowledge |  | The path must contain the receipt of a received message, but contained '_w.YQ.1.0.0.x-1'.
                    """)
    void invalidRequestIsRejected(String path, String body, String sentence) {
        rejected(node.post(filled(path), filled(body)), sentence);
    }

    /** The second of two settlements is invalid. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    "action": "release" | receipt' is required. Set the receipt of a received message.
                    "receipt": "x", "action": "release" | receipt' must be the receipt of a received message, but was 'x'.
                    "receipt": 1, "action": "release" | receipt' must be a string, but was 1.
                    "receipt": "RECEIPT" | action' is required. Set "acknowledge", "retry", "postpone", "let-others-pass", "hold", "dead-letter", "extend" or "release".
                    "receipt": "RECEIPT", "action": "finish" | action' must be "acknowledge" or "retry" or "postpone" or "let-others-pass" or "hold" or "dead-letter" or "extend" or "release", but was "finish".
                    "receipt": "RECEIPT", "action": "dead_letter" | action' must be "acknowledge" or "retry" or "postpone" or "let-others-pass" or "hold" or "dead-letter" or "extend" or "release", but was "dead_letter".
                    "receipt": "RECEIPT", "action": "RETRY" | action' must be "acknowledge" or "retry" or "postpone" or "let-others-pass" or "hold" or "dead-letter" or "extend" or "release", but was "RETRY".
                    "receipt": "RECEIPT", "action": "acknowledge", "delay": 1 | delay' is permitted for the actions "retry", "postpone", "let-others-pass" and "hold" only.
                    "receipt": "RECEIPT", "action": "dead-letter", "delay": 1 | delay' is permitted for the actions "retry", "postpone", "let-others-pass" and "hold" only.
                    "receipt": "RECEIPT", "action": "postpone", "delay": 1, "reason": "x" | reason' is permitted for the actions "retry" and "dead-letter" only.
                    "receipt": "RECEIPT", "action": "extend", "reason": "x" | reason' is permitted for the actions "retry" and "dead-letter" only.
                    "receipt": "RECEIPT", "action": "retry", "lease": "1m" | lease' is permitted for the action "extend" only.
                    "receipt": "RECEIPT", "action": "release", "lease": "1m" | lease' is permitted for the action "extend" only.
                    "receipt": "RECEIPT", "action": "postpone" | delay' is required.
                    "receipt": "RECEIPT", "action": "let-others-pass" | delay' is required.
                    "receipt": "RECEIPT", "action": "hold" | delay' is required.
                    "receipt": "RECEIPT", "action": "hold", "delay": "2h" | delay' must be from 1 ms to 1 h, but was 2 h.
                    "receipt": "RECEIPT", "action": "retry", "delay": "4000d" | delay' must be from 0 s to 3,650 days, but was 4,000 days.
                    "receipt": "RECEIPT", "action": "extend", "lease": "1ms" | lease' must be from 1 s to 1 day, but was 1 ms.
                    """)
    void invalidSettlementIsRejected(String fields, String sentence) {
        rejected(
                node.post("/settle", filled("{\"settlements\": [RELEASE, {" + fields + "}]}")),
                "The field 'settlements[1]." + sentence);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    /topics/strict/messages/batch | {"messages": [100 * {"payload": 1}]} | messages
                    /settle | {"settlements": [100 * RELEASE]} | settlements
                    /receive | {"topics": ["t"], "settlements": [100 * RELEASE]} | settlements
                    """)
    void longListIsRejected(String path, String body, String field) {
        String longList = body.replaceAll("100 \\* ([^]]*)", "$1,".repeat(100) + "$1");
        rejected(
                node.post(path, filled(longList)),
                "The field '" + field
                        + "' must have at most 100 elements (delayqueue.http.api.max-count), but had 101.");
    }

    @Test
    void receiveWithTooManyOrLongTopicsIsRejected() {
        String many = "{\"topics\": [" + "\"t\",".repeat(100) + "\"t\"]}";
        rejected(node.post("/receive", many), "The field 'topics' must have at most 100 elements, but had 101.");
        String name = "t".repeat(129);
        rejected(
                node.receive(name, "{}"),
                "The field 'topics[0]' is invalid: A topic must have at most 128 bytes of UTF-8, but this one"
                        + " has 129: " + name + ".");
    }

    @Test
    void unknownParametersAreRejected() {
        rejected(
                node.post("/topics/" + topic + "/messages?delay=10m", "{}"),
                "Unknown query parameter 'delay': send fields in the JSON body.");
        rejected(
                node.get("/topics/" + topic + "/dead-letters?until=x"),
                "Unknown query parameter 'until': the parameters are count, page.");
        rejected(
                node.get("/topics/" + topic + "/dead-letters?count=0"),
                "The parameter 'count' must be an integer from 1 to 100, but was '0'.");
        rejected(
                node.get("/topics/" + topic + "/dead-letters?count=1&count=2"),
                "The parameter 'count' is given more than once.");
        rejected(node.get("/topics?state=ready"), "Unknown query parameter 'state': the parameters are count, page.");
        for (String page : List.of("!", "a", "_w")) {
            rejected(
                    node.get("/topics?page=" + page),
                    "The parameter 'page' must be the value of 'next' in a page of topics, but was '" + page + "'.");
            rejected(
                    node.get("/topics/" + topic + "/schedules?page=" + page),
                    "The parameter 'page' must be the value of 'next' in a page of schedules, but was '" + page + "'.");
        }
        rejected(node.get("/topics/" + topic + "/dead-letters?page=x"), null);
        assertThat(node.get("/topics/" + topic + "/dead-letters?_csrf=x").status())
                .isEqualTo(200);
    }

    @Test
    void invalidNamesAreRejected() {
        rejected(
                node.get("/topics/" + topic + "/messages/~!"),
                "The path segment '~!' begins with a tilde, so the rest must be the base64url of a UTF-8 string,"
                        + " but it is not.");
        rejected(
                node.get("/topics/" + "t".repeat(129) + "/messages/a"),
                "A topic must have at most 128 bytes of UTF-8, but this one has 129: " + "t".repeat(129) + ".");
        rejected(node.receive(" ", "{}"), "The field 'topics[0]' is invalid: A topic must not be blank.");
        rejected(node.send("%20", "{\"payload\": 1}"), "A topic must not be blank.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "application/x-www-form-urlencoded",
                "application/json;charset=windows-1252",
                "x",
                "application/cbor"
            })
    void otherContentTypesAreRejected(String contentType) {
        Reply reply = node.exchange(node.request("/topics/" + topic + "/messages")
                .header("Content-Type", contentType)
                .POST(BodyPublishers.ofString("{\"payload\": 1}")));

        assertThat(reply.status()).isEqualTo(415);
        assertThat(reply.problem()).isEqualTo("unsupported-media-type");
        assertThat(reply.detail())
                .isEqualTo("The body must be JSON in UTF-8, sent with the header Content-Type: application/json,"
                        + " but the header was "
                        + contentType + ".");
    }

    /** A filter of the application reads forms first, which leaves an empty body. */
    @ParameterizedTest
    @ValueSource(strings = {"/topics/t/dead-letters/a/replay", "/receive", "/settle", "/leases/x/retry"})
    void formIsNotReadAsAnEmptyBody(String path) {
        String form = "--b\r\nContent-Disposition: form-data; name=\"until\"\r\n\r\n2026-01-31T12:00:00Z\r\n--b--\r\n";

        Reply parts = node.exchange(node.request(path)
                .header("Content-Type", "multipart/form-data; boundary=b")
                .POST(BodyPublishers.ofString(form)));
        Reply fields = node.exchange(node.request(path + "?")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Read-Parameters", "yes")
                .POST(BodyPublishers.ofString("until=2026-01-31T12:00:00Z")));

        assertThat(parts.status()).as(parts.text()).isEqualTo(415);
        assertThat(fields.status()).as(fields.text()).isEqualTo(415);
    }

    @Test
    void largePayloadsHeadersAndBodiesAreRejected() {
        String half = "x".repeat(1024 * 1024 + 1);

        Reply payload = node.send(topic, "{\"payloadText\": \"" + half + "\"}");
        Reply headers = node.send(topic, "{\"payload\": 1, \"headers\": {\"a\": \"" + "x".repeat(65536) + "\"}}");

        assertThat(payload.status()).isEqualTo(413);
        assertThat(payload.problem()).isEqualTo("too-large");
        assertThat(payload.detail())
                .isEqualTo("The message is too large: its payload has 1048577 bytes,"
                        + " but delayqueue.limits.max-payload-size is 1048576 bytes.");
        assertThat(headers.status()).isEqualTo(413);
        try (RawClient client = new RawClient(node.port())) {
            client.write("POST /delayqueue/v1/topics/t/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                    + ApiNode.TOKEN + "\r\nContent-Type: application/json\r\nContent-Length: 2097153\r\n\r\n");
            assertThat(client.readUntil("}"))
                    .startsWith("HTTP/1.1 413")
                    .contains("The body exceeds the maximum size (delayqueue.http.max-body-size) of 2097152 bytes.");
        }
    }

    @Test
    void unknownPathsAndMethodsAreRejected() {
        Reply nothing = node.get("/topics/" + topic + "/nothing");
        Reply patch = node.exchange(
                node.request("/topics/" + topic + "/messages/a").method("PATCH", BodyPublishers.ofString("{}")));
        Reply options = node.exchange(
                node.request("/topics/" + topic + "/messages").method("OPTIONS", BodyPublishers.noBody()));

        assertThat(nothing.status()).isEqualTo(404);
        assertThat(nothing.problem()).isEqualTo("not-found");
        assertThat(patch.status()).isEqualTo(405);
        assertThat(patch.problem()).isEqualTo("method-not-allowed");
        assertThat(patch.header("Allow")).isEqualTo("DELETE, GET");
        assertThat(options.status()).isEqualTo(200);
        assertThat(options.header("Allow")).contains("POST");
    }

    private static String filled(@Nullable String text) {
        return text == null ? "" : text.replace("RELEASE", RELEASE).replace("RECEIPT", RECEIPT);
    }

    private static void rejected(Reply reply, @Nullable String sentence) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(reply.problem()).isEqualTo("invalid-request");
        if (sentence != null) {
            assertThat(reply.detail()).isEqualTo(sentence);
        }
    }
}
