package io.delayqueue.web.compat;

import io.delayqueue.web.compat.CompatRequest.Field;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads a JSON object as Go's {@code encoding/json} reads it into a struct: keys are case-insensitive, the last of
 * duplicate keys wins, unknown keys are ignored, null leaves a field unchanged, and an integer must be written without
 * fraction or exponent and fit into 64 bits. Thread-safe.
 */
final class GoJsonReader {

    private static final int MAX_DEPTH = 10_000;

    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            // clients could fill the cache with arbitrary names
            .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
            .disable(TokenStreamFactory.Feature.INTERN_PROPERTY_NAMES)
            .build();

    private GoJsonReader() {}

    /**
     * Reads a request.
     *
     * @param struct fields of the request; other fields are ignored, whatever their type
     * @return the request, or null if the body is not JSON or a field has the wrong type
     */
    static @Nullable CompatRequest read(byte[] body, Set<Field> struct) {
        String text = GoText.decode(body);
        if (text.isEmpty() || text.charAt(0) == BYTE_ORDER_MARK) {
            return null;
        }
        Map<Field, Object> values = new EnumMap<>(Field.class);
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
            return isStruct(parser, struct, values) && parser.nextToken() == null ? request(values) : null;
        } catch (JacksonException e) {
            return null;
        }
    }

    private static boolean isStruct(JsonParser parser, Set<Field> struct, Map<Field, Object> values) {
        JsonToken first = parser.nextToken();
        if (first != JsonToken.START_OBJECT) {
            return first == JsonToken.VALUE_NULL;
        }
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            Field field = field(parser.currentName(), struct);
            JsonToken token = parser.nextToken();
            if (field == null) {
                parser.skipChildren();
            } else if (token != JsonToken.VALUE_NULL) {
                Object value = field.isNumber() ? number(parser, token) : text(parser, token);
                if (value == null) {
                    return false;
                }
                values.put(field, value);
            }
        }
        return true;
    }

    private static @Nullable Field field(String key, Set<Field> struct) {
        for (Field field : struct) {
            if (GoText.isKeyOf(key, field.key())) {
                return field;
            }
        }
        return null;
    }

    private static @Nullable Long number(JsonParser parser, JsonToken token) {
        if (token != JsonToken.VALUE_NUMBER_INT) {
            return null;
        }
        try {
            return Long.valueOf(parser.getString());
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static @Nullable String text(JsonParser parser, JsonToken token) {
        return token == JsonToken.VALUE_STRING ? GoText.replaceUnpairedSurrogates(parser.getString()) : null;
    }

    private static CompatRequest request(Map<Field, Object> values) {
        return new CompatRequest(
                text(values, Field.TOPIC),
                text(values, Field.ID),
                (Long) values.getOrDefault(Field.DELAY, 0L),
                (Long) values.getOrDefault(Field.TTR, 0L),
                text(values, Field.BODY));
    }

    private static String text(Map<Field, Object> values, Field field) {
        return GoText.trim((String) values.getOrDefault(field, ""));
    }
}
