package io.delayqueue.convert;

import java.lang.reflect.Type;

/**
 * Converts payloads to bytes and back. A bean of this type replaces the JSON converter. Implementations must be
 * thread-safe.
 *
 * <p>{@code String} and {@code byte[]} payloads are not converted: text is stored as UTF-8, bytes are stored
 * unchanged.
 */
public interface PayloadConverter {

    /**
     * Writes a payload.
     *
     * @throws PayloadConversionException if the payload can't be written
     */
    byte[] write(Object payload);

    /**
     * Writes a payload of a generic type. A class does not know its type arguments, which may decide what is written: for
     * JSON the type ids of the elements of a {@code List<Event>}.
     *
     * @param type the type, including its generics; by default ignored
     * @throws PayloadConversionException if the payload can't be written
     */
    default byte[] write(Object payload, Type type) {
        return write(payload);
    }

    /**
     * Reads a payload.
     *
     * @param body the payload's bytes; must not be changed
     * @param type the type that the receiver needs, including its generics
     * @throws PayloadConversionException if the payload can't be read as that type
     */
    Object read(byte[] body, Type type);
}
