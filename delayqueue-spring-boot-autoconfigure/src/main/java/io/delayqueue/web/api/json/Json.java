package io.delayqueue.web.api.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.delayqueue.web.api.json.Element.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/** Reads and writes JSON, in the one way that the interface has. Thread-safe. */
public final class Json {

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .changeDefaultPropertyInclusion(inclusion -> inclusion.withValueInclusion(JsonInclude.Include.NON_NULL))
            .addModule(new SimpleModule().addSerializer(new AsItIs()))
            .build();

    private Json() {}

    /** Writes a record, without its components that are null. */
    public static byte[] write(Object answer) {
        return MAPPER.writeValueAsBytes(answer);
    }

    /**
     * Reads a body.
     *
     * @param body UTF-8; an empty one is an object without fields
     * @throws InvalidBodyException if it is no JSON object
     */
    public static Fields read(byte[] body) {
        if (body.length == 0) {
            return new Fields("", Map.of());
        }
        String text = JsonText.textOf(body);
        if (text == null) {
            throw new InvalidBodyException("The body is not in UTF-8.");
        }
        return new Fields("", members("The body", text));
    }

    /** Whether a text is a JSON value, and nothing but one. */
    static boolean isValue(String text) {
        try (JsonParser parser = MAPPER.createParser(text)) {
            if (parser.nextToken() == null) {
                return false;
            }
            parser.skipChildren();
            parser.finishToken();
            return parser.nextToken() == null;
        } catch (JacksonException e) {
            return false;
        }
    }

    /**
     * The members of an object.
     *
     * @param what the object is, to begin a sentence with
     */
    static Map<String, Element> members(String what, String json) {
        try (JsonParser parser = MAPPER.createParser(json)) {
            require(parser.nextToken() == JsonToken.START_OBJECT, what, "a JSON object");
            Map<String, Element> members = new LinkedHashMap<>();
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                if (members.put(name, element(parser, json)) != null) {
                    throw new InvalidBodyException(what + " has the field '" + name + "' twice.");
                }
            }
            require(parser.nextToken() == null, what, "one JSON object, with nothing behind it");
            return members;
        } catch (JacksonException e) {
            throw noJson(what, e);
        }
    }

    /** The elements of an array that was read as an element before. */
    static List<Element> elements(String json) {
        try (JsonParser parser = MAPPER.createParser(json)) {
            parser.nextToken();
            List<Element> elements = new ArrayList<>();
            for (Element next = nextOf(parser, json); next != null; next = nextOf(parser, json)) {
                elements.add(next);
            }
            return elements;
        }
    }

    private static @Nullable Element nextOf(JsonParser parser, String json) {
        JsonToken token = Objects.requireNonNull(parser.nextToken());
        return token == JsonToken.END_ARRAY ? null : current(parser, token, json);
    }

    private static Element element(JsonParser parser, String json) {
        return current(parser, Objects.requireNonNull(parser.nextToken()), json);
    }

    private static Element current(JsonParser parser, JsonToken token, String json) {
        int start = (int) parser.currentTokenLocation().getCharOffset();
        Kind kind = kind(token);
        String text = kind == Kind.TEXT ? parser.getString() : null;
        if (kind == Kind.OBJECT || kind == Kind.ARRAY) {
            parser.skipChildren();
        }
        String raw = json.substring(start, (int) parser.currentLocation().getCharOffset());
        return new Element(kind, raw, text == null ? raw : text);
    }

    private static Kind kind(JsonToken token) {
        return switch (token) {
            case VALUE_STRING -> Kind.TEXT;
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> Kind.NUMBER;
            case VALUE_TRUE, VALUE_FALSE -> Kind.FLAG;
            case START_OBJECT -> Kind.OBJECT;
            case START_ARRAY -> Kind.ARRAY;
            default -> Kind.NULL;
        };
    }

    private static void require(boolean holds, String what, String expected) {
        if (!holds) {
            throw new InvalidBodyException(what + " is " + expected + ".");
        }
    }

    /** With the first line of what Jackson says: the others tell the place in its own words. */
    private static InvalidBodyException noJson(String what, JacksonException e) {
        String said = String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("");
        String place = e.getLocation() == null
                ? ""
                : " in line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr();
        return new InvalidBodyException(what + " is no JSON" + place + ": " + said);
    }

    /** Writes JSON as it was read. */
    private static final class AsItIs extends StdSerializer<JsonText> {

        AsItIs() {
            super(JsonText.class);
        }

        @Override
        public void serialize(JsonText value, JsonGenerator generator, SerializationContext context) {
            generator.writeRawValue(value.text());
        }
    }
}
