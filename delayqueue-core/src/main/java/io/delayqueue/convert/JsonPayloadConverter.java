package io.delayqueue.convert;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Converts payloads to JSON with the application's mapper. Rejects objects without properties, such as a lambda or an
 * {@code Object}, at any depth of the payload; empty records, {@code Map}s and {@code Collection}s are permitted.
 * Thread-safe.
 */
public final class JsonPayloadConverter implements PayloadConverter {

    private static final byte[] NULL = {'n', 'u', 'l', 'l'};
    private static final String NO_PROPERTIES = "No serializer found for class ";
    private static final String NOT_READABLE =
            " can't be a payload, because it can't be read back from JSON: send a record, a class"
                    + " with properties, a Map, a Collection or a simple value";
    private static final List<Class<?>> NO_DATA = List.of(
            Thread.class,
            ThreadGroup.class,
            ClassLoader.class,
            Executor.class,
            Future.class,
            CompletionStage.class,
            BaseStream.class,
            InputStream.class,
            OutputStream.class,
            Reader.class,
            Writer.class);

    private final JsonMapper mapper;
    private final ObjectWriter writer;

    /** Creates a converter. The mapper decides about the format of dates and records. */
    public JsonPayloadConverter(JsonMapper mapper) {
        this.mapper = mapper;
        this.writer = mapper.writer().with(SerializationFeature.FAIL_ON_EMPTY_BEANS);
    }

    @Override
    public byte[] write(Object payload) {
        requireData(payload);
        byte[] written;
        try {
            written = writer.writeValueAsBytes(payload);
        } catch (RuntimeException e) {
            String why = firstLine(e);
            String problem = e instanceof InvalidDefinitionException definition && why.startsWith(NO_PROPERTIES)
                    ? NOT_READABLE + " (Jackson finds no property in "
                            + definition.getType().getRawClass().getTypeName() + ")"
                    : " can't be written as JSON: " + why;
            throw new PayloadConversionException("A " + payload.getClass().getTypeName() + problem, e);
        }
        if (Arrays.equals(written, NULL)) {
            throw new PayloadConversionException(
                    "A " + payload.getClass().getTypeName() + " is null in JSON, which a receiver can't read", null);
        }
        return written;
    }

    /** Jackson writes nothing for a lambda, and internal state for the types of {@link #NO_DATA}. */
    private static void requireData(Object payload) {
        Class<?> type = payload.getClass();
        if (type.isHidden() || NO_DATA.stream().anyMatch(live -> live.isInstance(payload))) {
            throw new PayloadConversionException("A " + type.getTypeName() + NOT_READABLE, null);
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

    /** The other lines of Jackson's message contain the location in Java code, which the stack trace shows. */
    private static String firstLine(RuntimeException e) {
        String message = e.getMessage();
        return message == null ? e.toString() : message.lines().findFirst().orElse("");
    }
}
