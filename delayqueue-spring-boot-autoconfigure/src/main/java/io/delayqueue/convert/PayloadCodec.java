package io.delayqueue.convert;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;

/**
 * What sending and receiving use: {@code byte[]} as it is, {@code String} as UTF-8, everything else by the
 * {@link PayloadConverter}. The type to read comes from the receiver, never from the data. Thread-safe.
 */
public final class PayloadCodec {

    /** What stands for bytes that are not UTF-8, and may stand in a text itself. */
    private static final char REPLACEMENT = '\uFFFD';

    private final PayloadConverter converter;

    /** With what converts all but text and bytes. */
    public PayloadCodec(PayloadConverter converter) {
        this.converter = converter;
    }

    /**
     * Writes a payload.
     *
     * @return its bytes; for a {@code byte[]} the very array
     * @throws PayloadConversionException if it can't be written, whatever the converter threw
     */
    public byte[] write(Object payload) {
        if (payload instanceof byte[] bytes) {
            return bytes;
        }
        if (payload instanceof String text) {
            return encode(text);
        }
        try {
            return converter.write(payload);
        } catch (PayloadConversionException e) {
            throw e;
        } catch (RuntimeException e) {
            throw failed("A " + payload.getClass().getTypeName() + " can't be written", e);
        }
    }

    /**
     * Reads a payload.
     *
     * @param body its bytes
     * @param type what the receiver takes, with its generics
     * @return for {@code byte[]} the very array
     * @throws PayloadConversionException if it can't be read as that type, whatever the converter threw
     */
    public Object read(byte[] body, Type type) {
        if (type == byte[].class) {
            return body;
        }
        if (type == String.class) {
            return decode(body);
        }
        try {
            return converter.read(body, type);
        } catch (PayloadConversionException e) {
            throw e;
        } catch (RuntimeException e) {
            throw failed("The payload can't be read as " + type.getTypeName(), e);
        }
    }

    private static PayloadConversionException failed(String what, RuntimeException e) {
        return new PayloadConversionException(what + ": " + e, e);
    }

    /** Strictly, since a replacement character would be a silent loss. */
    private static byte[] encode(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                return encodeStrictly(text);
            }
        }
        return text.getBytes(UTF_8);
    }

    private static byte[] encodeStrictly(String text) {
        try {
            ByteBuffer encoded = UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new PayloadConversionException(
                    "The text can't be written as UTF-8, since it holds half a surrogate pair", e);
        }
    }

    private static String decode(byte[] body) {
        String text = new String(body, UTF_8);
        return text.indexOf(REPLACEMENT) < 0 ? text : decodeStrictly(body);
    }

    private static String decodeStrictly(byte[] body) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
        } catch (CharacterCodingException e) {
            throw new PayloadConversionException(
                    "The payload can't be read as text, since it is not UTF-8; take a byte[] instead", e);
        }
    }
}
