package io.delayqueue.web.api.openapi;

import io.delayqueue.admin.Job;
import io.delayqueue.admin.JobAction;
import io.delayqueue.admin.JobRequest;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageState;
import io.delayqueue.web.api.json.Formats;
import io.delayqueue.web.api.request.ApiRequest;
import io.delayqueue.web.api.request.Receipt;
import io.delayqueue.web.api.request.ReceiveRequest;
import io.swagger.v3.oas.models.media.Schema;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The bounds of bodies as JSON schemas. {@code RequestSchemaTests} compares them with the server, so that they are as
 * exact as a schema can be. Descriptions contain what a schema cannot express.
 */
@SuppressWarnings({"rawtypes", "unchecked"}) // as swagger's models are
final class Bounds {

    /** Blanks of {@link String#isBlank}. */
    static final String NOT_BLANK =
            "[^\\t-\\r\\u001c-\\u0020\\u1680\\u2000-\\u2006\\u2008-\\u200a\\u2028\\u2029\\u205f\\u3000]";

    static final String MAX_COUNT = "delayqueue.http.api.max-count";

    private static final String BASE64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$";
    private static final int DEFAULT_COUNT = 100;
    private static final long DEFAULT_WAIT = 60_000;
    private static final long DEFAULT_MAX_DELAY = Duration.ofDays(3_653).toMillis();
    private static final int DEFAULT_PAYLOAD = 1024 * 1024;
    private static final long YEARS = ApiRequest.MAX_DURATION.toMillis();
    private static final long SECOND = 1_000;
    private static final long DAY = Duration.ofDays(1).toMillis();

    private final Map<String, Schema> schemas;

    private Bounds(Map<String, Schema> schemas) {
        this.schemas = schemas;
    }

    static void addTo(Map<String, Schema> schemas) {
        Bounds bounds = new Bounds(schemas);
        bounds.ofMessages();
        bounds.ofReceive();
        bounds.ofSettlements();
        bounds.ofOthers();
        bounds.ofResponses();
    }

    private void ofMessages() {
        text("SendRequest", "id")
                .minLength(1)
                .maxLength(DelayMessage.MAX_ID_BYTES)
                .pattern(NOT_BLANK);
        configured(duration("SendRequest", "delay", 0, DEFAULT_MAX_DELAY), "maximum", "delayqueue.limits.max-delay");
        date("SendRequest", "dueAt");
        configured(
                text("SendRequest", "payloadText").maxLength(DEFAULT_PAYLOAD),
                "maxLength",
                "delayqueue.limits.max-payload-size");
        configured(
                text("SendRequest", "payloadBase64")
                        .format(null)
                        .contentEncoding("base64")
                        .pattern(BASE64)
                        .maxLength((DEFAULT_PAYLOAD + 2) / 3 * 4),
                "maxLength",
                "delayqueue.limits.max-payload-size in Base64");
        property("SendRequest", "headers")
                .types(types("object", "null"))
                .propertyNames(new Schema<>().pattern(NOT_BLANK));
        number("SendRequest", "maxAttempts", 1, Integer.MAX_VALUE);
        duration("SendRequest", "lease", SECOND, DAY);
        duration("SendRequest", "expireAfter", 0, YEARS);
        date("SendRequest", "expireAt").pattern("^(?!0|1[0-8]|19[0-6])" + Formats.DATE + "$");
        text("SendRequest", "onDuplicate").setEnum(Arrays.asList("reject", "keep", "replace", null));
        schemas.get("SendRequest")
                .oneOf(List.of(given("payload"), given("payloadText"), given("payloadBase64")))
                .allOf(List.of(
                        new Schema<>().not(given("delay", "dueAt")),
                        new Schema<>().not(given("expireAfter", "expireAt"))));
        configured(property("SendAllRequest", "messages").minItems(1).maxItems(DEFAULT_COUNT), "maxItems", MAX_COUNT);
        schemas.get("SendAllRequest").required(List.of("messages"));
    }

    private void ofSettlements() {
        String settle = "SettleRequest";
        property(settle, "receipt").pattern("^" + Receipt.SYNTAX + "$");
        words(settle, "action", List.of("acknowledge", "retry", "postpone", "dead-letter", "extend", "release"));
        duration(settle, "delay", 0, ApiRequest.MAX_DELAY.toMillis());
        text(settle, "reason");
        duration(settle, "lease", SECOND, DAY);
        schemas.get(settle)
                .required(List.of("receipt", "action"))
                .oneOf(List.of(
                        action(given(), List.of("acknowledge", "release"), "delay", "reason", "lease"),
                        action(given(), List.of("retry"), "lease"),
                        action(given("delay"), List.of("postpone"), "reason", "lease"),
                        action(given(), List.of("dead-letter"), "delay", "lease"),
                        action(given(), List.of("extend"), "delay", "reason")));
        configured(
                property("SettleAllRequest", "settlements").minItems(1).maxItems(DEFAULT_COUNT), "maxItems", MAX_COUNT);
        schemas.get("SettleAllRequest").required(List.of("settlements"));
    }

    /** Settlements of some actions, without fields of others. */
    private static Schema<?> action(Schema<?> given, List<String> actions, String... others) {
        return given.addProperty("action", new Schema<>()._enum((List) actions))
                .allOf(Arrays.stream(others)
                        .map(name -> new Schema<>().not(given(name)))
                        .toList());
    }

    private void ofReceive() {
        String receive = "ReceiveRequest";
        property(receive, "topics").minItems(1).maxItems(ReceiveRequest.MAX_TOPICS);
        property(receive, "topics")
                .getItems()
                .minLength(1)
                .maxLength(DelayMessage.MAX_TOPIC_BYTES)
                .pattern(NOT_BLANK);
        configured(number(receive, "count", 1, DEFAULT_COUNT), "maximum", MAX_COUNT);
        configured(duration(receive, "wait", 0, DEFAULT_WAIT), "maximum", "delayqueue.http.api.max-wait");
        duration(receive, "lease", SECOND, DAY);
        configured(
                property(receive, "settlements").types(types("array", "null")).maxItems(DEFAULT_COUNT),
                "maxItems",
                MAX_COUNT);
        schemas.get(receive).required(List.of("topics"));
    }

    private void ofOthers() {
        configured(duration("DueRequest", "delay", 0, DEFAULT_MAX_DELAY), "maximum", "delayqueue.limits.max-delay");
        date("DueRequest", "dueAt");
        schemas.get("DueRequest").not(given("delay", "dueAt"));
        schemas.put(
                "RescheduleRequest",
                new Schema<>()
                        .description("The new due time of a message, as a delay or a date.")
                        .allOf(List.of(
                                new Schema<>().$ref("#/components/schemas/DueRequest"),
                                new Schema<>().oneOf(List.of(given("delay"), given("dueAt"))))));
        duration("ExtendRequest", "lease", SECOND, DAY);
        duration("RetryRequest", "delay", 0, ApiRequest.MAX_DELAY.toMillis());
        text("RetryRequest", "reason");
        duration("PostponeRequest", "delay", 0, ApiRequest.MAX_DELAY.toMillis()).types(types("string", "integer"));
        schemas.get("PostponeRequest").required(List.of("delay"));
        text("DeadLetterRequest", "reason");
        ofJobs();
    }

    /** The descriptions say which fields belong to which other actions. */
    private void ofJobs() {
        String job = "JobStartRequest";
        List<String> others = new ArrayList<>(words(JobAction.values()));
        words(job, "action", List.copyOf(others));
        property(job, "action").setExamples(List.of("replay", "move"));
        others.remove("move");
        for (String name : List.of("cause", "exceptionType", "shape")) {
            text(job, name);
        }
        for (String name : List.of("from", "until", "startAt")) {
            date(job, name);
        }
        configured(duration(job, "delay", 0, DEFAULT_MAX_DELAY), "maximum", "delayqueue.limits.max-delay");
        number(job, "perSecond", 1, JobRequest.MAX_PER_SECOND);
        text(job, "target").minLength(1).maxLength(DelayMessage.MAX_TOPIC_BYTES).pattern(NOT_BLANK);
        schemas.get(job)
                .required(List.of("action"))
                .oneOf(List.of(
                        given("target").addProperty("action", new Schema<>()._enum(List.of("move"))),
                        new Schema<>()
                                .addProperty("action", new Schema<>()._enum((List) others))
                                .not(given("target"))));
    }

    private void ofResponses() {
        words("JobResponse", "action", words(JobAction.values()));
        words("JobResponse", "state", words(Job.State.values()));
        words("MessageResponse", "state", words(MessageState.values()));
        words("DeadLetterResponse", "cause", words(DeadLetterCause.values()));
        words("CancelResponse", "outcome", List.of("cancelled", "cancelled_while_handled"));
        words("SendResponse", "outcome", List.of("accepted", "replaced", "kept", "duplicate", "rejected", "unknown"));
        words(
                "SettleResponse",
                "outcome",
                List.of("settled", "lease-lost", "outcome-unknown", "unavailable", "failed"));
    }

    private void words(String schema, String name, List<String> words) {
        property(schema, name).setEnum(words);
    }

    private static List<String> words(Enum<?>[] constants) {
        return Arrays.stream(constants)
                .map(each -> each.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    /** The parameter of a query. */
    static Schema<?> count() {
        return configured(
                new Schema<>()
                        .types(types("integer"))
                        .minimum(BigDecimal.ONE)
                        .maximum(BigDecimal.valueOf(DEFAULT_COUNT)),
                "maximum",
                MAX_COUNT);
    }

    private Schema property(String schema, String name) {
        return Objects.requireNonNull(
                (Schema) schemas.get(schema).getProperties().get(name), schema + "." + name);
    }

    /** In each field, null has the same meaning as a missing field. */
    private Schema text(String schema, String name) {
        return property(schema, name).types(types("string", "null"));
    }

    private Schema date(String schema, String name) {
        return text(schema, name).pattern("^" + Formats.DATE + "$");
    }

    private Schema number(String schema, String name, long min, long max) {
        return property(schema, name)
                .types(types("integer", "null"))
                .minimum(BigDecimal.valueOf(min))
                .maximum(BigDecimal.valueOf(max));
    }

    /** A schema can bound numbers only. For strings it describes the format. */
    private Schema duration(String schema, String name, long min, long max) {
        Schema duration = number(schema, name, min, max)
                .types(types("string", "integer", "null"))
                .pattern((min == 0 ? "^" : "^(?!0$)") + Formats.DURATION + "$");
        // a copy, since all durations share one list; within the bounds of each
        duration.setExamples(
                min == 0 && max == DEFAULT_WAIT ? List.of("PT20S", "20s", 20_000) : List.of("PT1M", "60s", 60_000));
        return duration;
    }

    private static Schema<?> configured(Schema<?> schema, String keyword, String property) {
        schema.addExtension("x-configured", Map.of(keyword, property));
        return schema;
    }

    /** All of these, none of them null. */
    private static Schema<?> given(String... names) {
        Schema<?> given = new Schema<>().required(names.length == 0 ? null : List.of(names));
        for (String name : names) {
            given.addProperty(name, new Schema<>().not(new Schema<>().types(types("null"))));
        }
        return given;
    }

    private static Set<String> types(String... types) {
        return new LinkedHashSet<>(List.of(types));
    }
}
