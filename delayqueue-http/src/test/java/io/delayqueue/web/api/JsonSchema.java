package io.delayqueue.web.api;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.scheduling.support.CronExpression;
import tools.jackson.databind.JsonNode;

/** The schemas of an OpenAPI document, as JSON Schema 2020-12. An unknown keyword is an error. Not thread-safe. */
final class JsonSchema {

    private static final Set<String> ANNOTATIONS =
            Set.of("description", "examples", "contentEncoding", "x-configured", "properties", "$ref");

    private final JsonNode document;
    private final Set<String> violated = new TreeSet<>();

    JsonSchema(JsonNode document) {
        this.document = document;
    }

    /** Violated keywords, each with the location of its schema. */
    Set<String> violated() {
        return violated;
    }

    JsonNode resolved(JsonNode schema) {
        return schema.has("$ref") ? document.at(schema.path("$ref").asString().substring(1)) : schema;
    }

    /** Keywords that can reject a value, in the schemas of some components. */
    Set<String> keywords(Set<String> components) {
        Set<String> keywords = new TreeSet<>();
        components.forEach(
                name -> collect(document.at("/components/schemas/" + name), "#/components/schemas/" + name, keywords));
        return keywords;
    }

    private static void collect(JsonNode schema, String place, Set<String> keywords) {
        for (Map.Entry<String, JsonNode> keyword : schema.properties()) {
            String name = keyword.getKey();
            if (name.equals("properties")) {
                keyword.getValue()
                        .properties()
                        .forEach(each -> collect(each.getValue(), place + "/" + each.getKey(), keywords));
            } else if (!ANNOTATIONS.contains(name)
                    && !keyword.getValue().asString("").matches("int32|byte")) {
                keywords.add(place + " " + name);
            }
        }
    }

    /** Whether a value is valid. */
    boolean accepts(String component, JsonNode value) {
        return accepts(document.at("/components/schemas/" + component), "#/components/schemas/" + component, value);
    }

    /** Whether a value is valid by a schema that is no component, such as that of a parameter. */
    boolean accepts(JsonNode schema, JsonNode value) {
        return accepts(schema, "", value);
    }

    private boolean accepts(JsonNode schema, String place, JsonNode value) {
        if (schema.has("$ref")) {
            String ref = schema.path("$ref").asString();
            if (!accepts(document.at(ref.substring(1)), ref, value)) {
                return false;
            }
        }
        boolean accepted = true;
        for (Map.Entry<String, JsonNode> keyword : schema.properties()) {
            if (!meets(schema, keyword.getKey(), keyword.getValue(), place, value)) {
                violated.add(place + " " + keyword.getKey());
                accepted = false;
            }
        }
        return accepted;
    }

    private boolean meets(JsonNode schema, String keyword, JsonNode wanted, String place, JsonNode value) {
        return switch (keyword) {
            case "type" -> isOf(wanted, value);
            case "enum" -> wanted.valueStream().anyMatch(value::equals);
            case "minimum", "maximum" ->
                !value.isNumber() || within(keyword, value.decimalValue().compareTo(wanted.decimalValue()));
            case "minItems", "maxItems" ->
                !value.isArray() || within(keyword, Integer.compare(value.size(), wanted.asInt()));
            case "minLength", "maxLength", "pattern", "format" ->
                !value.isString() || meetsAsText(keyword, wanted, value.asString());
            default -> meetsInParts(schema, keyword, wanted, place, value);
        };
    }

    /** Compares a value with a bound. */
    private static boolean within(String keyword, int compared) {
        return keyword.startsWith("min") ? compared >= 0 : compared <= 0;
    }

    private static boolean meetsAsText(String keyword, JsonNode wanted, String text) {
        return switch (keyword) {
            case "pattern" -> matches(wanted.asString(), text);
            case "format" -> isOf(wanted.asString(), text);
            default -> within(keyword, Integer.compare(text.codePointCount(0, text.length()), wanted.asInt()));
        };
    }

    private boolean meetsInParts(JsonNode schema, String keyword, JsonNode wanted, String place, JsonNode value) {
        return switch (keyword) {
            case "items" ->
                !value.isArray() || all(value.valueStream().map(each -> check(wanted, place + "/items", each)));
            case "properties" ->
                all(wanted.properties().stream()
                        .filter(each -> value.has(each.getKey()))
                        .map(each -> check(each.getValue(), place + "/" + each.getKey(), value.get(each.getKey()))));
            case "required" -> !value.isObject() || wanted.valueStream().allMatch(each -> value.has(each.asString()));
            case "additionalProperties" ->
                all(value.properties().stream()
                        .filter(each -> !schema.path("properties").has(each.getKey()))
                        .map(each -> wanted.isBoolean()
                                ? wanted::asBoolean
                                : check(wanted, place + "/additionalProperties", each.getValue())));
            case "propertyNames" ->
                value.propertyNames().stream()
                        .allMatch(each -> matches(wanted.path("pattern").asString(), each));
            case "oneOf" ->
                wanted.valueStream()
                                .filter(each -> accepts(each, place + "/oneOf", value))
                                .count()
                        == 1;
            case "allOf" -> all(wanted.valueStream().map(each -> check(each, place + "/allOf", value)));
            case "not" -> !accepts(wanted, place + "/not", value);
            default -> {
                if (!ANNOTATIONS.contains(keyword)) {
                    throw new IllegalArgumentException(place + " has an unknown keyword: " + keyword);
                }
                yield true;
            }
        };
    }

    private BooleanSupplier check(JsonNode schema, String place, JsonNode value) {
        return () -> accepts(schema, place, value);
    }

    /** Checks each, so that all violations are known. */
    private static boolean all(Stream<BooleanSupplier> checks) {
        return checks.map(BooleanSupplier::getAsBoolean).reduce(true, Boolean::logicalAnd);
    }

    private static boolean isOf(JsonNode types, JsonNode value) {
        return (types.isArray() ? types.valueStream() : Stream.of(types)).anyMatch(type -> switch (type.asString()) {
            case "null" -> value.isNull();
            case "string" -> value.isString();
            case "boolean" -> value.isBoolean();
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "number" -> value.isNumber();
            case "integer" -> value.isNumber() && isWhole(value.decimalValue());
            default -> throw new IllegalArgumentException("There is no type " + type);
        });
    }

    private static boolean isWhole(BigDecimal number) {
        return number.stripTrailingZeros().scale() <= 0;
    }

    /** As in ECMA 262, where a dollar sign is the end of the text. */
    private static boolean matches(String pattern, String text) {
        return Pattern.compile(pattern.replaceFirst("\\$$", "\\\\z"))
                .matcher(text)
                .find();
    }

    private static boolean isOf(String format, String text) {
        try {
            switch (format) {
                case "date-time" -> OffsetDateTime.parse(text);
                case "time-zone" -> ZoneId.of(text);
                case "cron" -> CronExpression.parse(text);
                default -> {}
            }
            return true;
        } catch (DateTimeException | IllegalArgumentException e) {
            return false;
        }
    }
}
