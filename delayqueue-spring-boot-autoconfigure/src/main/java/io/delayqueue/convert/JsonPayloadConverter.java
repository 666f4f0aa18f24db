package io.delayqueue.convert;

import java.lang.reflect.Type;
import tools.jackson.databind.json.JsonMapper;

/** Payloads as JSON, by the application's mapper. Thread-safe. */
public final class JsonPayloadConverter implements PayloadConverter {

    private final JsonMapper mapper;

    /** By a mapper; how dates and records look is its choice. */
    public JsonPayloadConverter(JsonMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public byte[] write(Object payload) {
        try {
            return mapper.writeValueAsBytes(payload);
        } catch (RuntimeException e) {
            throw new PayloadConversionException(
                    "A " + payload.getClass().getTypeName() + " can't be written as JSON: " + firstLine(e), e);
        }
    }

    @Override
    public Object read(byte[] body, Type type) {
        Object value;
        try {
            value = mapper.readValue(body, mapper.constructType(type));
        } catch (RuntimeException e) {
            throw new PayloadConversionException(
                    "The payload can't be read from JSON as " + type.getTypeName() + ": " + firstLine(e), e);
        }
        if (value == null) {
            throw new PayloadConversionException(
                    "The payload is null in JSON, where a " + type.getTypeName() + " is needed", null);
        }
        return value;
    }

    /** Jackson tells the place in further lines, which are of use in a stack trace only. */
    private static String firstLine(RuntimeException e) {
        String message = e.getMessage();
        return message == null ? e.toString() : message.lines().findFirst().orElse("");
    }
}
