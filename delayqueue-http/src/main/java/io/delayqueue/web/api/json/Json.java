package io.delayqueue.web.api.json;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import io.delayqueue.management.JsonText;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.deser.std.StdScalarDeserializer;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the bodies of requests, and completes schemas. The mapper is separate, so that settings of the application do not
 * change the API. Thread-safe.
 */
public final class Json {

    private static final String SOURCE = "source";

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    // clients could fill the cache with arbitrary names
                    .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
                    .disable(TokenStreamFactory.Feature.INTERN_PROPERTY_NAMES)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .enumNamingStrategy((config, type, name) -> name.toLowerCase(Locale.ROOT))
            .changeDefaultNullHandling(nulls -> JsonSetter.Value.forContentNulls(Nulls.FAIL))
            .addModule(new SimpleModule()
                    .addKeyDeserializer(String.class, new KeyReader())
                    .addDeserializer(JsonText.class, new JsonTextReader())
                    .addDeserializer(String.class, new ScalarReader<>(String.class, Formats::text))
                    .addDeserializer(byte[].class, new ScalarReader<>(byte[].class, Formats::base64))
                    .addDeserializer(Instant.class, new ScalarReader<>(Instant.class, Formats::date))
                    .addDeserializer(
                            Duration.class, new ScalarReader<>(Duration.class, Formats::duration, Json::millis))
                    .addDeserializer(Integer.class, new ScalarReader<>(Integer.class, text -> null, Integer::valueOf)))
            .build();

    private static final String CONFIGURED = "x-configured";

    /**
     * Maximum number of fields and elements of a body. Enough for 500 messages with most fields and 50 headers each.
     */
    private static final int MAX_PARTS = 30_000;

    private static final int MAX_QUOTED = 100;

    private Json() {}

    /**
     * Reads a body strictly: unknown or repeated fields, wrong types and content after the object are rejected.
     *
     * @param body UTF-8; an empty body is read as an object without fields
     * @throws InvalidRequestException if the body is not a JSON object or does not match the record
     */
    public static <T> T read(byte[] body, Class<T> type) {
        String text = body.length == 0 ? "{}" : JsonText.textOf(body);
        if (text == null) {
            throw new InvalidRequestException("The body must be in UTF-8.");
        }
        try (JsonParser parser = MAPPER.createParser(text)) {
            new StructureCheck(parser).run();
        } catch (JacksonException e) {
            throw noJson(e);
        }
        try (JsonParser parser = MAPPER.createParser(text)) {
            try {
                return MAPPER.readerFor(type).withAttribute(SOURCE, text).readValue(parser);
            } catch (JacksonException e) {
                throw invalid(e, parser, text);
            }
        }
    }

    private static InvalidRequestException invalid(JacksonException e, JsonParser parser, String text) {
        String path = path(e);
        if (e instanceof UnrecognizedPropertyException unknown) {
            Collection<Object> known = Objects.requireNonNullElse(unknown.getKnownPropertyIds(), Set.of());
            return new InvalidRequestException("Unknown field '" + path + "': "
                    + (known.isEmpty()
                            ? "the body must be empty."
                            : "the fields are "
                                    + known.stream().map(String::valueOf).collect(Collectors.joining(", ")) + "."));
        }
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidRequestException invalid) {
                return invalid.below(path);
            }
        }
        return e instanceof MismatchedInputException mismatch
                ? InvalidRequestException.ofField(
                        path,
                        "must be " + expected(mismatch.getTargetType()) + ", but was " + quoted(parser, text) + ".")
                : noJson(e);
    }

    private static String path(JacksonException e) {
        StringBuilder path = new StringBuilder();
        for (JacksonException.Reference each : e.getPath()) {
            if (each.getPropertyName() == null) {
                path.append('[').append(each.getIndex()).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(each.getPropertyName());
            }
        }
        return path.toString();
    }

    private static String expected(@Nullable Class<?> type) {
        if (type == null || type.isRecord()) {
            return "an object";
        }
        if (type.isEnum()) {
            return Stream.of(type.getEnumConstants())
                    .map(MAPPER::writeValueAsString)
                    .collect(Collectors.joining(" or "));
        }
        if (Collection.class.isAssignableFrom(type)) {
            return "an array";
        }
        if (Map.class.isAssignableFrom(type)) {
            return "an object of strings such as {\"tags\": \"vip\"}";
        }
        return switch (type.getSimpleName()) {
            case "Integer" -> "an integer";
            case "Duration" -> "a duration such as \"PT10M\", \"10m\" or 600000 (ms)";
            case "Instant" -> "a date such as \"2030-01-31T12:00:00Z\"";
            case "byte[]" -> "bytes in Base64, without line breaks";
            default -> "a string";
        };
    }

    /** Returns the current value of the parser as it was written, shortened to {@value #MAX_QUOTED} characters. */
    private static String quoted(JsonParser parser, String text) {
        String written = written(parser, text);
        if (written.length() <= MAX_QUOTED) {
            return written;
        }
        int end = Character.isHighSurrogate(written.charAt(MAX_QUOTED - 1)) ? MAX_QUOTED - 1 : MAX_QUOTED;
        return written.substring(0, end) + "…";
    }

    private static String written(JsonParser parser, String text) {
        int start = (int) parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        parser.finishToken();
        return text.substring(start, (int) parser.currentLocation().getCharOffset());
    }

    /**
     * Replaces the configurable bounds in a schema or OpenAPI document:
     * {@code "x-configured": {"maximum": "a.property"}} means that {@code maximum} in the same object is the value of
     * that property.
     *
     * @param values the bounds by property
     */
    public static String withBounds(String schema, Map<String, Long> values) {
        JsonNode root = MAPPER.readTree(schema);
        for (JsonNode parent : root.findParents(CONFIGURED)) {
            parent.path(CONFIGURED)
                    .properties()
                    .forEach(bound -> ((ObjectNode) parent)
                            .put(
                                    bound.getKey(),
                                    Objects.requireNonNull(
                                            values.get(bound.getValue().asString()))));
        }
        return MAPPER.writeValueAsString(root);
    }

    /** Uses the first line of Jackson's message. The other lines repeat the location. */
    private static InvalidRequestException noJson(JacksonException e) {
        String reason =
                String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("");
        String location = e.getLocation() == null
                ? ""
                : " in line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr();
        return new InvalidRequestException("The body is not valid JSON" + location + ": " + reason);
    }

    private static Duration millis(String number) {
        return Duration.ofMillis(Long.parseLong(number));
    }

    /**
     * Checks the structure of a body before the mapper allocates objects: it must be one JSON object without duplicate
     * fields and with a limited number of fields and elements. A field or element of a few bytes occupies some hundred
     * bytes in memory. Payloads are skipped, since the mapper does not parse them. Not thread-safe.
     */
    private static final class StructureCheck {

        private final JsonParser parser;
        private int parts;

        StructureCheck(JsonParser parser) {
            this.parser = parser;
        }

        void run() {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw InvalidRequestException.ofField("", "must be a JSON object.");
            }
            object();
            if (parser.nextToken() != null) {
                throw InvalidRequestException.ofField("", "must be one JSON object without trailing content.");
            }
        }

        private void object() {
            Set<String> names = new HashSet<>();
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                count();
                String name = parser.currentName();
                if (!names.add(name)) {
                    throw InvalidRequestException.ofField(path(parser.streamReadContext()), "must not be repeated.");
                }
                JsonToken value = parser.nextToken();
                if (name.equals("payload")) {
                    parser.skipChildren();
                } else {
                    value(value);
                }
            }
        }

        private void value(JsonToken token) {
            if (token == JsonToken.START_OBJECT) {
                object();
            } else if (token == JsonToken.START_ARRAY) {
                for (JsonToken next = parser.nextToken(); next != JsonToken.END_ARRAY; next = parser.nextToken()) {
                    count();
                    value(next);
                }
            }
        }

        private void count() {
            if (++parts > MAX_PARTS) {
                throw new InvalidRequestException("The body has more than " + MAX_PARTS
                        + " fields, headers and list elements outside of payloads. Send fewer messages in a request.");
            }
        }

        private static String path(TokenStreamContext context) {
            TokenStreamContext parent = context.getParent();
            if (parent == null) {
                return "";
            }
            String above = path(parent);
            if (!context.hasCurrentName()) {
                return above + "[" + context.getCurrentIndex() + "]";
            }
            return (above.isEmpty() ? "" : above + ".") + context.currentName();
        }
    }

    /**
     * Converts a JSON string or integer. A conversion function returns null or throws {@link IllegalArgumentException}
     * if the value cannot be converted.
     */
    private static final class ScalarReader<T> extends StdScalarDeserializer<T> {

        private final Class<T> type;
        private final Function<String, @Nullable T> ofString;
        private final Function<String, @Nullable T> ofInteger;

        ScalarReader(Class<T> type, Function<String, @Nullable T> ofString) {
            this(type, ofString, number -> null);
        }

        ScalarReader(Class<T> type, Function<String, @Nullable T> ofString, Function<String, @Nullable T> ofInteger) {
            super(type);
            this.type = type;
            this.ofString = ofString;
            this.ofInteger = ofInteger;
        }

        @Override
        public T deserialize(JsonParser parser, DeserializationContext context) {
            T value = null;
            try {
                if (parser.hasToken(JsonToken.VALUE_STRING)) {
                    value = ofString.apply(parser.getString());
                } else if (parser.hasToken(JsonToken.VALUE_NUMBER_INT)) {
                    value = ofInteger.apply(parser.getString());
                }
            } catch (IllegalArgumentException | ArithmeticException e) {
                throw mismatch(parser).withCause(e);
            }
            if (value == null) {
                throw mismatch(parser);
            }
            return value;
        }

        private JacksonException mismatch(JsonParser parser) {
            return MismatchedInputException.from(parser, type, "");
        }
    }

    /** Reads header names. */
    private static final class KeyReader extends KeyDeserializer {

        @Override
        public Object deserializeKey(String key, DeserializationContext context) {
            return Formats.text(key);
        }
    }

    /** Reads a JSON value without parsing it. */
    private static final class JsonTextReader extends StdScalarDeserializer<JsonText> {

        JsonTextReader() {
            super(JsonText.class);
        }

        @Override
        public JsonText deserialize(JsonParser parser, DeserializationContext context) {
            return new JsonText(written(parser, (String) Objects.requireNonNull(context.getAttribute(SOURCE))));
        }

        @Override
        public JsonText getNullValue(DeserializationContext context) {
            return JsonText.NULL;
        }

        @Override
        @SuppressWarnings("NullAway") // an absent value is null
        public @Nullable Object getAbsentValue(DeserializationContext context) {
            return null;
        }
    }
}
