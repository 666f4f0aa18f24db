package io.delayqueue.convert;

import java.lang.reflect.Type;

/**
 * Turns payloads into bytes and back. A bean of this type replaces the one by JSON. Must be thread-safe.
 *
 * <p>{@code String} and {@code byte[]} never come here: they are stored as they are, text as UTF-8.
 */
public interface PayloadConverter {

    /**
     * Writes a payload.
     *
     * @throws PayloadConversionException if it can't be written
     */
    byte[] write(Object payload);

    /**
     * Reads a payload.
     *
     * @param body its bytes; not to be changed
     * @param type what the receiver takes, with its generics
     * @throws PayloadConversionException if it can't be read as that type
     */
    Object read(byte[] body, Type type);
}
