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
     * Reads a payload.
     *
     * @param body the payload's bytes; must not be changed
     * @param type the type that the receiver needs, including its generics
     * @throws PayloadConversionException if the payload can't be read as that type
     */
    Object read(byte[] body, Type type);
}
