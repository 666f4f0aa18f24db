package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.delayqueue.web.api.ApiNode.Reply;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What can't be understood is refused in a sentence, and does nothing. */
class StrictnessTests {

    private final ApiNode node = ApiNode.shared();
    private final String topic = "strict-" + UUID.randomUUID();

    static Stream<Arguments> sends() {
        return Stream.of(payloads(), times(), rest()).flatMap(rows -> rows);
    }

    private static Stream<Arguments> payloads() {
        String length = "a length of time such as \"PT10M\", \"10m\" or 600000 (ms), ";
        return Stream.of(
                arguments(
                        "",
                        "The field 'payload' is missing: any JSON value, or a text in 'payloadText', or bytes in"
                                + " 'payloadBase64'."),
                arguments(
                        "{\"payload\": null}",
                        "The field 'payload' is null, which no listener takes: give another JSON" + " value."),
                arguments(
                        "{\"payload\": 1, \"payloadText\": \"a\"}",
                        "The field 'payload' stands beside 'payloadText' or"
                                + " 'payloadBase64': give one of the three."),
                arguments(
                        "{\"payload\": 1, \"dealy\": \"1m\"}",
                        "There is no field 'dealy', but id, delay, dueAt, payload,"
                                + " payloadText, payloadBase64, headers, maxAttempts, lease, expireAfter, expireAt, onDuplicate."),
                arguments("{\"payload\": 1, \"payload\": 2}", "The body has the field 'payload' twice."),
                arguments(
                        "{\"payload\": 1, \"delay\": \"soon\"}",
                        "The field 'delay' is " + length + "from 0ms to 31557600000000ms, but not \"soon\"."),
                arguments(
                        "{\"payload\": 1, \"delay\": -1}",
                        "The field 'delay' is " + length + "from 0ms to 31557600000000ms, but not -1."),
                arguments(
                        "{\"payload\": 1, \"delay\": 1.5}",
                        "The field 'delay' is " + length + "from 0ms to 31557600000000ms, but not 1.5."),
                arguments(
                        "{\"payload\": 1, \"delay\": true}",
                        "The field 'delay' is " + length + "from 0ms to 31557600000000ms, but not true."));
    }

    private static Stream<Arguments> times() {
        String length = "a length of time such as \"PT10M\", \"10m\" or 600000 (ms), ";
        return Stream.of(
                arguments(
                        "{\"payload\": 1, \"delay\": \"5000d\"}",
                        "The message can't be sent: it is due in 5000 days, but"
                                + " delayqueue.limits.max-delay is 3653 days."),
                arguments(
                        "{\"payload\": 1, \"lease\": \"1ms\"}",
                        "The field 'lease' is " + length + "from 1000ms to 86400000ms, but not \"1ms\"."),
                arguments(
                        "{\"payload\": 1, \"dueAt\": \"tomorrow\"}",
                        "The field 'dueAt' is a date such as" + " \"2030-01-31T12:00:00Z\", but not \"tomorrow\"."),
                arguments(
                        "{\"payload\": 1, \"dueAt\": \"2030-01-31T12:00:00Z\", \"delay\": 1}",
                        "The field 'dueAt' stands" + " beside 'delay': give one of the two."),
                arguments(
                        "{\"payload\": 1, \"maxAttempts\": 0}",
                        "The field 'maxAttempts' is a whole number of 1 or more," + " but not 0."),
                arguments(
                        "{\"payload\": 1, \"maxAttempts\": 1.0}",
                        "The field 'maxAttempts' is a whole number of 1 or more," + " but not 1.0."),
                arguments(
                        "{\"payload\": 1, \"maxAttempts\": \"3\"}",
                        "The field 'maxAttempts' is a whole number of 1 or more," + " but not \"3\"."),
                arguments("{\"payload\": 1, \"id\": 4711}", "The field 'id' is a text, but not 4711."),
                arguments(
                        "{\"payload\": 1, \"id\": \" \"}", "The body can't be taken: A message id must not be blank."));
    }

    private static Stream<Arguments> rest() {
        return Stream.of(
                arguments(
                        "{\"payload\": 1, \"id\": \"\\ud800\"}",
                        "The field 'id' holds half a surrogate pair, which UTF-8" + " can't hold."),
                arguments("{\"payload\": 1, \"headers\": {\"a\": 1}}", "The field 'headers.a' is a text, but not 1."),
                arguments(
                        "{\"payload\": 1, \"headers\": [\"a\"]}",
                        "The field 'headers' is an object of texts such as" + " {\"tags\": \"vip\"}, but not [\"a\"]."),
                arguments(
                        "{\"payload\": 1, \"headers\": {\"\": \"a\"}}",
                        "The body can't be taken: A header's name must not" + " be blank."),
                arguments(
                        "{\"payload\": 1, \"onDuplicate\": \"REPLACE\"}",
                        "The field 'onDuplicate' is \"refuse\" or \"keep\"" + " or \"replace\", but not \"REPLACE\"."),
                arguments(
                        "{\"payload\": 1, \"expireAfter\": 1, \"expireAt\": \"2030-01-31T12:00:00Z\"}",
                        "The body can't be" + " taken: Set expireAfter or expireAt, not both."),
                arguments(
                        "{\"payloadBase64\": \"%\"}",
                        "The field 'payloadBase64' is bytes in Base64, in one line, but not" + " \"%\"."),
                arguments("[1]", "The body is a JSON object."),
                arguments("{\"payload\": 1} {}", "The body is one JSON object, with nothing behind it."));
    }

    @ParameterizedTest
    @MethodSource("sends")
    void aSendThatIsWrongIsRefused(String body, String sentence) {
        Reply reply = node.send(topic, body, "Idempotency-Key", "mended");

        refused(reply, sentence);
        // nothing is reserved, so that it may be mended under the same key
        assertThat(node.send(topic, "{\"payload\": \"mended\"}", "Idempotency-Key", "mended")
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
    void whatIsNoJsonIsRefusedWithItsPlace(String body) {
        Reply reply = node.send(topic, body);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.detail()).matches("The body is no JSON in line 1, column \\d+: .+");
    }

    @Test
    void aBodyIsInUtf8() {
        byte[] latin = "{\"payload\": \"Grüße\"}".getBytes(StandardCharsets.ISO_8859_1);

        Reply reply = node.exchange(node.request("/topics/" + topic + "/messages")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(latin)));

        refused(reply, "The body is not in UTF-8.");
    }

    static Stream<Arguments> others() {
        return Stream.of(receives(), batches()).flatMap(rows -> rows);
    }

    private static Stream<Arguments> receives() {
        return Stream.of(
                arguments("/receive", "{\"count\": 0}", "The field 'count' is a whole number of 1 or more, but not 0."),
                arguments(
                        "/receive",
                        "{\"count\": 101}",
                        "The field 'count' is a whole number from 1 to 100"
                                + " (delayqueue.http.api.max-count), but not 101."),
                arguments(
                        "/receive",
                        "{\"wait\": \"61s\"}",
                        "The field 'wait' is at most 60000 ms" + " (delayqueue.http.api.max-wait), but not PT1M1S."),
                arguments("/receive", "{\"waitTime\": 1}", "There is no field 'waitTime', but count, wait, lease."),
                arguments("/messages/batch", "{}", "The field 'messages' is missing: a list of 1 to 500 objects."),
                arguments(
                        "/messages/batch",
                        "{\"messages\": []}",
                        "The field 'messages' is a list of 1 to 500 objects, but" + " has 0."),
                arguments(
                        "/messages/batch",
                        "{\"messages\": [{\"payload\": 1}, {\"payload\": 1, \"delay\": \"x\"}]}",
                        "The field 'messages[1].delay' is a length of time such as \"PT10M\", \"10m\" or 600000 (ms), from"
                                + " 0ms to 31557600000000ms, but not \"x\"."));
    }

    private static Stream<Arguments> batches() {
        return Stream.of(
                arguments(
                        "/messages/batch",
                        "{\"messages\": [{\"payload\": 1, \"x\": 1}]}",
                        "There is no field 'messages[0].x', but id, delay, dueAt, payload, payloadText, payloadBase64,"
                                + " headers, maxAttempts, lease, expireAfter, expireAt, onDuplicate."),
                arguments(
                        "/messages/batch",
                        "{\"messages\": [{\"payload\": 1, \"id\": \"\"}]}",
                        "The field 'messages[0]' can't be taken: A message id must not be blank."),
                arguments(
                        "/messages/a/leases/x/acknowledge", "{\"x\": 1}", "There is no field 'x': the body is empty."),
                arguments(
                        "/messages/a/leases/x/retry",
                        "{\"delay\": \"4000d\"}",
                        "The field 'delay' is a length of time such"
                                + " as \"PT10M\", \"10m\" or 600000 (ms), from 0ms to 315360000000ms, but not \"4000d\"."),
                arguments(
                        "/dead-letters/purge",
                        "{\"before\": \"2030-01-31T12:00:00Z\"}",
                        "There is no field 'before', but" + " until."),
                arguments(
                        "/dead-letters/replay",
                        "{\"delay\": \"5000d\"}",
                        "No replay: it is due in 5000 days, but" + " delayqueue.limits.max-delay is 3653 days."));
    }

    @ParameterizedTest
    @MethodSource("others")
    void whatElseIsWrongIsRefusedToo(String path, String body, String sentence) {
        refused(node.post("/topics/" + topic + path, body), sentence);
    }

    @Test
    void moreThanMayBeSentAtOnceIsRefused() {
        String messages = String.join(
                ",",
                List.of("{\"payload\": 1}").stream()
                        .flatMap(each -> Stream.generate(() -> each).limit(101))
                        .toList());

        refused(
                node.post("/topics/" + topic + "/messages/batch", "{\"messages\": [" + messages + "]}"),
                "The field 'messages' has 1 to 100 messages (delayqueue.http.api.max-count), but here 101.");
    }

    @Test
    void parametersThatAreNotKnownAreRefused() {
        refused(
                node.post("/topics/" + topic + "/messages?delay=10m", "{}"),
                "There is no parameter 'delay' here: parameters stand in the JSON body.");
        refused(
                node.get("/topics/" + topic + "/dead-letters?until=x"),
                "There is no parameter 'until', but count, page.");
        refused(
                node.get("/topics/" + topic + "/dead-letters?count=0"),
                "The parameter 'count' is a number from 1 to 100, but not '0'.");
        refused(
                node.get("/topics/" + topic + "/dead-letters?count=1&count=2"),
                "The parameter 'count' is given more than once.");
        refused(node.get("/topics/" + topic + "/dead-letters?page=x"), null);
        assertThat(node.get("/topics/" + topic + "/dead-letters?_csrf=x").status())
                .isEqualTo(200);
    }

    @Test
    void namesThatCanBeNoneAreRefused() {
        refused(
                node.get("/topics/" + topic + "/messages/~!"),
                "In the path, '~!' begins with a tilde, but what follows is not Base64 (the kind for URLs) of a text in"
                        + " UTF-8.");
        refused(
                node.get("/topics/" + "t".repeat(129) + "/messages/a"),
                "A topic has at most 128 bytes of UTF-8, but this one has 129: " + "t".repeat(129) + ".");
        refused(node.receive("%20", "{}"), "A topic must not be blank.");
        refused(node.send("%20", "{\"payload\": 1}"), "A topic must not be blank.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "application/x-www-form-urlencoded",
                "application/json;charset=ISO-8859-1",
                "x",
                "application/cbor"
            })
    void aBodyIsSentAsJson(String contentType) {
        Reply reply = node.exchange(node.request("/topics/" + topic + "/messages")
                .header("Content-Type", contentType)
                .POST(BodyPublishers.ofString("{\"payload\": 1}")));

        assertThat(reply.status()).isEqualTo(415);
        assertThat(reply.problem()).isEqualTo("unsupported-media-type");
        assertThat(reply.detail())
                .isEqualTo("A body is JSON in UTF-8, sent with the header Content-Type: application/json, but not "
                        + contentType + ".");
    }

    /** The application reads forms before anybody else: what is left of them would be taken for nothing to say. */
    @ParameterizedTest
    @ValueSource(strings = {"/dead-letters/purge", "/dead-letters/replay", "/receive", "/messages/a/leases/x/retry"})
    void aFormIsNotTakenForAnEmptyBody(String path) {
        String form = "--b\r\nContent-Disposition: form-data; name=\"until\"\r\n\r\n2026-01-31T12:00:00Z\r\n--b--\r\n";

        Reply parts = node.exchange(node.request("/topics/" + topic + path)
                .header("Content-Type", "multipart/form-data; boundary=b")
                .POST(BodyPublishers.ofString(form)));
        Reply fields = node.exchange(node.request("/topics/" + topic + path + "?")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Read-Parameters", "yes")
                .POST(BodyPublishers.ofString("until=2026-01-31T12:00:00Z")));

        assertThat(parts.status()).as(parts.text()).isEqualTo(415);
        assertThat(fields.status()).as(fields.text()).isEqualTo(415);
    }

    @Test
    void whatIsTooLargeIsRefusedBeforeItIsRead() {
        String half = "x".repeat(1024 * 1024 + 1);

        Reply payload = node.send(topic, "{\"payloadText\": \"" + half + "\"}");
        Reply headers = node.send(topic, "{\"payload\": 1, \"headers\": {\"a\": \"" + "x".repeat(65536) + "\"}}");

        assertThat(payload.status()).isEqualTo(413);
        assertThat(payload.problem()).isEqualTo("too-large");
        assertThat(payload.detail())
                .isEqualTo(
                        "The message has a payload of 1048577 bytes, but delayqueue.limits.max-payload-size is 1048576"
                                + " bytes.");
        assertThat(headers.status()).isEqualTo(413);
        try (RawClient client = new RawClient(node.port())) {
            client.write("POST /delayqueue/v1/topics/t/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                    + ApiNode.TOKEN + "\r\nContent-Type: application/json\r\nContent-Length: 2097153\r\n\r\n");
            assertThat(client.readUntil("}"))
                    .startsWith("HTTP/1.1 413")
                    .contains("The body has more than delayqueue.http.max-body-size, 2097152 bytes.");
        }
        try (RawClient client = new RawClient(node.port())) {
            client.write("POST /delayqueue/v1/topics/t/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                    + ApiNode.TOKEN
                    + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n200001\r\n"
                    + " ".repeat(0x200001) + "\r\n");
            assertThat(client.readUntil("}")).startsWith("HTTP/1.1 413");
        }
    }

    @Test
    void onlyWhatIsThereIsAnswered() {
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

    private static void refused(Reply reply, String sentence) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(reply.problem()).isEqualTo("invalid-request");
        if (sentence != null) {
            assertThat(reply.detail()).isEqualTo(sentence);
        }
    }
}
