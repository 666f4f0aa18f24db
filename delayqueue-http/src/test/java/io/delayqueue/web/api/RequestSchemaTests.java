package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.web.api.ApiNode.Reply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The server accepts exactly what the schemas of its document accept. Bodies are generated from each bound, each alternative
 * and each type of a schema. The bounds are configured.
 */
class RequestSchemaTests {

    private static final JsonMapper MAPPER = JsonMapper.shared();
    private static final String TOPIC = "schemas";
    private static final String ORDERED = TOPIC + "-ordered";

    private static final List<String> DURATIONS =
            List.of(("60s|1m|60000|0|00|1h30m|1m60s500ms1us1ns|30s1m|1h 30m|(1m)|60000ms|60000000us|60000000000ns"
                            + "|1h|1d|PT1M|PT60.5S|PT0H1M|P1D|P0DT1M0.5S|+60s|-60s|60S|1M|pt1m|P|PT|P1|PT1|P1DT|1.5m|1w|60 s"
                            + "| 60s||PT-1M|PT1M30|PT60,5S|60s\n|\u0661m|1mo|soon")
                    .split("\\|"));

    private static final List<String> DATES =
            List.of(("2030-01-31T12:00:00Z|2030-01-31T12:00:00.123456789Z|2030-01-31T12:00:00+01:00"
                            + "|2030-01-31T12:00:00-18:00|2028-02-29T12:00:00Z|2000-01-01T00:00:00Z"
                            + "|2030-01-31T12:00:00+18:01|2030-01-31t12:00:00z|2030-02-30T12:00:00Z|2030-13-01T12:00:00Z"
                            + "|2030-01-31|2030-01-31T12:00Z|2030-01-31T12:00:00|2030-01-31T24:00:00Z|2030-01-31T12:00:60Z"
                            + "|2030-01-31T12:00:00.Z|+12030-01-31T12:00:00Z|1999-12-31T23:59:59Z|1970-01-21T13:33:20Z|2030-01-31 12:00:00Z||now")
                    .split("\\|"));

    private static final List<String> BASE64 =
            List.of(("QQ==|QQ|QQ=|Q|Q===|QUI=|QUI|QUJD|Q-_D|Q Q=|QQ==QQ==|QUJD\n").split("\\|"));

    private static final List<String> WORDS =
            List.of(("a b| a|| |\t\n|\u00a0|\u001c\u2003|\ud83d\ude00|reject|keep|replace|REJECT").split("\\|"));

    private static ApiNode node;
    private static JsonNode document;
    private static String receipt;

    @BeforeAll
    static void start() {
        node = ApiNode.start(
                "delayqueue.http.api.max-count=3",
                "delayqueue.http.api.max-wait=1d",
                "delayqueue.limits.max-delay=3700d",
                "delayqueue.limits.max-payload-size=63B",
                "delayqueue.topics[" + ORDERED + "].keys=ordered");
        document = node.get("/openapi.json").json();
        node.send("settled", "{\"payload\": 1, \"id\": \"a\"}");
        JsonNode delivery = node.receiveOne("settled");
        node.settle(delivery, "acknowledge", "");
        receipt = ApiNode.receipt(delivery);
        // so that no receive request waits
        node.template()
                .sendAll(IntStream.range(0, 500)
                        .mapToObj(i ->
                                DelayMessage.to(TOPIC + "-due").payload("x").build())
                        .toList());
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    /** An operation for each schema of a body. Operations with the same schema read it with the same code. */
    private static Map<String, String> operations() {
        Map<String, String> operations = new LinkedHashMap<>();
        DocumentedResponses.operations().forEach((name, operation) -> {
            String body = operation
                    .at("/requestBody/content/application~1json/schema/$ref")
                    .asString("");
            if (!body.isEmpty()) {
                operations.putIfAbsent(body.substring("#/components/schemas/".length()), name);
            }
        });
        return operations;
    }

    @TestFactory
    Stream<DynamicTest> theServerAcceptsWhatTheSchemaAccepts() {
        return operations().entrySet().stream()
                .map(operation -> DynamicTest.dynamicTest(operation.getKey(), () -> {
                    String component = operation.getKey();
                    JsonSchema schema = new JsonSchema(document);
                    Set<JsonNode> bodies = bodies(schema, component, base(component));
                    agree(operation.getValue(), component, schema, bodies, MAPPER::writeValueAsString);
                }));
    }

    @Test
    void theServerAcceptsTheSettlementsThatTheSchemaAccepts() {
        JsonSchema schema = new JsonSchema(document);
        Set<JsonNode> settlements = bodies(schema, "SettleRequest", settlement("extend"));
        for (String action :
                List.of("acknowledge", "retry", "postpone", "let-others-pass", "dead-letter", "extend", "release")) {
            ObjectNode settlement = settlement(action);
            if (action.equals("postpone") || action.equals("let-others-pass")) {
                settlement.put("delay", 1);
            }
            settlements.add(settlement);
            for (String option : List.of("delay", "reason", "lease")) {
                for (String value : List.of("null", "1000", "\"1m\"", "\"x\"")) {
                    settlements.add(settlement.deepCopy().set(option, MAPPER.readTree(value)));
                }
            }
        }

        agree("POST /settle", "SettleRequest", schema, settlements, each -> "{\"settlements\": [" + each + "]}");
    }

    private static ObjectNode settlement(String action) {
        return MAPPER.createObjectNode().put("receipt", receipt).put("action", action);
    }

    private static void agree(
            String operation,
            String component,
            JsonSchema schema,
            Set<JsonNode> bodies,
            Function<JsonNode, String> text) {
        String[] parts = operation.split(" ", 2);
        List<String> differences = new ArrayList<>();
        for (JsonNode body : bodies) {
            boolean valid = schema.accepts(component, body);
            // messages with a key are sent to a topic that requires them
            String to = body.path("key").isString() ? parts[1].replace("{topic}", ORDERED) : parts[1];
            Reply reply = node.exchangeAs(ApiNode.TOKEN, parts[0], address(to), text.apply(body));
            boolean rejected = reply.status() == 400 || reply.status() == 413;
            if (reply.status() >= 500 || valid == rejected) {
                differences.add((valid ? "valid: " : "invalid: ") + body + " -> " + reply.status() + " "
                        + (rejected ? reply.detail() : ""));
            }
        }
        assertThat(differences).isEmpty();
        assertThat(schema.violated())
                .as("Each keyword rejects something")
                .containsAll(schema.keywords(Set.of(component)));
    }

    private static String address(String path) {
        return path.replace("{topic}", TOPIC)
                .replace("{id}", "a")
                .replace("{schedule}", "a-schedule")
                .replace("{receipt}", receipt)
                .replace("{deadLetter}", "x");
    }

    /** Bodies with each value of each property, with each set of alternatives, and values that are no object. */
    private static Set<JsonNode> bodies(JsonSchema schemas, String component, ObjectNode base) {
        JsonNode schema = document.at("/components/schemas/" + component);
        JsonNode object = schema.has("allOf") && !schema.has("properties")
                ? schemas.resolved(schema.path("allOf").get(0))
                : schema;
        Set<JsonNode> bodies = new LinkedHashSet<>(List.of(base, MAPPER.createObjectNode()));
        bodies.add(MAPPER.createArrayNode());
        bodies.add(MAPPER.getNodeFactory().stringNode("x"));
        bodies.add(base.deepCopy().put("unknown", 1));
        object.path("properties").properties().forEach(property -> {
            for (JsonNode value : values(property.getValue(), hasAllTexts(component, property.getKey()))) {
                ObjectNode body = base.deepCopy();
                if (property.getKey().startsWith("payload")) {
                    body.remove("payload");
                }
                if (property.getKey().matches("cron|zone")) {
                    body.remove("every");
                    body.put("cron", "@daily").put("zone", "UTC");
                }
                body.set(property.getKey(), value);
                bodies.add(body);
            }
        });
        bodies.addAll(alternatives(object.path("properties")));
        return bodies;
    }

    /** The fields of one format are read by the same code. */
    private static boolean hasAllTexts(String component, String field) {
        return component.equals("SendRequest")
                && !List.of("lease", "expireAfter").contains(field);
    }

    private static ObjectNode base(String component) {
        return (ObjectNode)
                switch (component) {
                    case "SendRequest" -> MAPPER.readTree("{\"payload\": 1}");
                    case "ScheduleRequest" -> MAPPER.readTree("{\"payload\": 1, \"every\": \"2d\"}");
                    case "JobStartRequest" -> MAPPER.readTree("{\"action\": \"replay\"}");
                    case "SendAllRequest" -> MAPPER.readTree("{\"messages\": [{\"payload\": 1}]}");
                    case "ReceiveRequest" -> MAPPER.readTree("{\"topics\": [\"" + TOPIC + "-due\"]}");
                    case "SettleRequest" -> settlement("acknowledge");
                    case "SettleAllRequest" ->
                        MAPPER.createObjectNode()
                                .set("settlements", MAPPER.createArrayNode().add(settlement("acknowledge")));
                    default -> MAPPER.createObjectNode();
                };
    }

    /** Up to three, and all, of the properties that exclude or require each other. The others are missing or null. */
    private static List<JsonNode> alternatives(JsonNode properties) {
        Map<String, String> some = new LinkedHashMap<>();
        Map.of("delay", "1", "dueAt", "\"2030-01-31T12:00:00Z\"", "payload", "1", "payloadText", "\"a\"")
                .forEach((name, value) -> some.put(name, value));
        some.put("payloadBase64", "\"QQ==\"");
        some.put("every", "\"2d\"");
        some.put("cron", "\"@daily\"");
        some.put("zone", "\"UTC\"");
        some.put("expireAfter", "1");
        some.put("expireAt", "\"2030-01-31T12:00:00Z\"");
        List<String> names =
                some.keySet().stream().filter(properties::has).sorted().toList();
        List<JsonNode> bodies = new ArrayList<>();
        int all = (1 << names.size()) - 1;
        for (int set = 0; set <= all; set++) {
            if (Integer.bitCount(set) > 3 && set != all) {
                continue;
            }
            ObjectNode given = MAPPER.createObjectNode();
            ObjectNode orNull = MAPPER.createObjectNode();
            for (int i = 0; i < names.size(); i++) {
                boolean in = (set & 1 << i) != 0;
                JsonNode value = MAPPER.readTree(in ? some.get(names.get(i)) : "null");
                orNull.set(names.get(i), value);
                if (in) {
                    given.set(names.get(i), value);
                }
            }
            bodies.add(given);
            bodies.add(orNull);
        }
        return bodies;
    }

    /**
     * One value of each type, and the values at and beyond each bound.
     *
     * @param all whether all texts are included
     */
    private static Set<JsonNode> values(JsonNode schema, boolean all) {
        Set<JsonNode> values = new LinkedHashSet<>();
        String type = schema.path("type").toString();
        List<String> json = new ArrayList<>(List.of("null", "true", "1.5", "-1", "\"x\"", "[]", "{}"));
        if (type.contains("array")) {
            json.addAll(List.of("[1]", "[null]", "[{\"payload\": 1, \"x\": 1}]"));
        }
        if (type.contains("object")) {
            json.addAll(List.of("{\"a\": \"b\"}", "{\"a\": 1}", "{\"a\": null}", "{\"\": \"b\"}", "{\" \": \"b\"}"));
        }
        json.forEach(each -> values.add(MAPPER.readTree(each)));
        for (String bound : List.of("minimum", "maximum")) {
            if (schema.has(bound)) {
                long limit = schema.path(bound).asLong();
                around(limit).forEach(values::add);
            }
        }
        for (String bound : List.of("minItems", "maxItems")) {
            if (schema.has(bound)) {
                int limit = schema.path(bound).asInt();
                IntStream.rangeClosed(limit - 1, limit + 1)
                        .forEach(size -> values.add(elements(schema.path("items"), size)));
            }
        }
        texts(schema, all).forEach(text -> values.add(MAPPER.getNodeFactory().stringNode(text)));
        texts(schema.path("items"), all)
                .forEach(text -> values.add(MAPPER.createArrayNode().add(text)));
        schema.path("examples").forEach(values::add);
        return values;
    }

    private static ArrayNode elements(JsonNode schema, int count) {
        String ref = schema.path("$ref").asString("");
        JsonNode element = ref.isEmpty()
                ? MAPPER.getNodeFactory().stringNode(TOPIC + "-due")
                : base(ref.substring(ref.lastIndexOf('/') + 1));
        ArrayNode elements = MAPPER.createArrayNode();
        IntStream.range(0, count).forEach(i -> elements.add(element));
        return elements;
    }

    private static List<String> texts(JsonNode schema, boolean all) {
        if (!schema.path("type").toString().contains("string")) {
            return List.of();
        }
        List<String> texts = new ArrayList<>(all ? WORDS : List.of("a b", "", " ", "RETRY"));
        if (schema.has("maxLength")) {
            // if the size is divisible by 3, the longest Base64 is that of the longest payload
            int limit = schema.path("maxLength").asInt();
            IntStream.rangeClosed(limit - 1, limit + 4).forEach(length -> texts.add("a".repeat(length)));
        }
        if (schema.path("type").toString().contains("integer")) {
            texts.addAll(all ? DURATIONS : List.of("60s", "PT1M", "0", "soon"));
        }
        if (schema.path("format").asString("").equals("date-time")) {
            texts.addAll(all ? DATES : List.of("2030-01-31T12:00:00+01:00", "1969-12-31T23:59:59Z", "now"));
        }
        if (schema.has("contentEncoding")) {
            texts.addAll(BASE64);
        }
        return texts;
    }

    /** At a bound and next to it. */
    private static Stream<JsonNode> around(long limit) {
        return Stream.of(limit - 1, limit, limit + 1)
                .map(each -> MAPPER.getNodeFactory().numberNode(each));
    }

    @ParameterizedTest
    @CsvSource({
        "count, 0",
        "count, 1",
        "count, 3",
        "count, 4",
        "count, -1",
        "count, 1.5",
        "count, x",
        "count, ''",
        "page, 1.1",
        "page, zzzzzzzzzzz.0.zz",
        "page, abc",
        "page, 1.1.1.1",
        "page, A.1",
        "page, 1.1234567",
        "page, ''",
        "Idempotency-Key, a",
        "Idempotency-Key, ''",
        "Idempotency-Key, a b",
        "Idempotency-Key, \"a b\"",
        "Idempotency-Key, a\"b",
        "Idempotency-Key, a\\b",
        "Idempotency-Key, ~!#",
        "Idempotency-Key, 'a,b'",
        "Idempotency-Key, KEY_OF_255",
        "Idempotency-Key, KEY_OF_256",
        "Idempotency-Key, \"KEY_OF_255\""
    })
    void theServerAcceptsWhatTheSchemaOfAParameterAccepts(String name, String written) {
        String value = written.replace("KEY_OF_255", "k".repeat(255)).replace("KEY_OF_256", "k".repeat(256));
        boolean ofSend = name.equals("Idempotency-Key");
        String path = "/topics/{topic}/" + (ofSend ? "messages" : "dead-letters");
        JsonNode schema = document.path("paths")
                .path(path)
                .path(ofSend ? "post" : "get")
                .path("parameters")
                .valueStream()
                .filter(each -> each.path("name").asString().equals(name))
                .findFirst()
                .orElseThrow()
                .path("schema");

        Reply reply = ofSend
                ? node.send(TOPIC + value.hashCode(), "{\"payload\": 1}", name, value)
                : node.get(address(path) + "?" + name + "=" + value);

        assertThat(reply.status() != 400)
                .isEqualTo(new JsonSchema(document)
                        .accepts(
                                schema,
                                name.equals("count") && value.matches("-?[0-9.]+")
                                        ? MAPPER.readTree(value)
                                        : MAPPER.getNodeFactory().stringNode(value)));
    }

    /** Descriptions contain what a schema cannot express: bytes in UTF-8, ranges of durations in text, number formats. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "id | \"éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé\" | 1 to 256 bytes",
                "key | \"ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé\" | 1 to 256 bytes",
                "lease | \"1ms\" | 1 s to 1 d",
                "delay | \"5000d\" | delayqueue.limits.max-delay",
                "dueAt | \"9999-12-31T12:00:00Z\" | delayqueue.limits.max-delay",
                "maxAttempts | 1.0 | without a fraction"
            })
    void boundsBeyondTheSchemaAreDescribed(String field, String value, String description) {
        ObjectNode body = base("SendRequest");
        body.set(field, MAPPER.readTree(value));

        assertThat(new JsonSchema(document).accepts("SendRequest", body)).isTrue();
        assertThat(node.send(TOPIC, MAPPER.writeValueAsString(body)).status()).isEqualTo(400);
        assertThat(document.at("/components/schemas/SendRequest/properties/" + field + "/description")
                        .asString())
                .contains(description);
    }
}
