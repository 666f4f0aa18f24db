package io.delayqueue.convert;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.Internal;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Converts all payloads: {@code byte[]} is unchanged, {@code String} is UTF-8, and other types use the
 * {@link PayloadConverter}. The receiver, never the data, determines the type to read. Thread-safe.
 */
@Internal
public final class PayloadCodec {

    /** The decoder's replacement for bytes that are not UTF-8. A text may also contain it. */
    private static final char REPLACEMENT = '\uFFFD';

    private final Supplier<PayloadConverter> converter;

    /**
     * Creates a codec.
     *
     * @param converter converts payloads other than text and bytes
     */
    public PayloadCodec(PayloadConverter converter) {
        this(() -> converter);
    }

    /**
     * Creates a codec that looks up its converter whenever a payload needs it.
     *
     * @param converter supplies the converter of payloads other than text and bytes
     */
    public PayloadCodec(Supplier<PayloadConverter> converter) {
        this.converter = converter;
    }

    /** Reaction to a payload that a receiver can't read, or not fully. */
    public enum OnProblem {

        /** A warning is logged, once for each class and topic. */
        WARN,

        /** The payload is rejected. */
        REJECT
    }

    /**
     * Writes a payload as its class.
     *
     * @see #write(Object, Type)
     */
    public byte[] write(Object payload) {
        return write(payload, null);
    }

    /**
     * Writes a payload.
     *
     * @param type the type with its generics; null if the payload's class is sufficient
     * @return the payload's bytes; for a {@code byte[]} a copy, because the caller may change it before the message is sent
     * @throws PayloadConversionException if the payload can't be written; exceptions of the converter are wrapped
     */
    public byte[] write(Object payload, @Nullable Type type) {
        if (payload instanceof byte[] bytes) {
            return bytes.clone();
        }
        if (payload instanceof String text) {
            return encode(text);
        }
        try {
            PayloadConverter found = converter.get();
            return type == null ? found.write(payload) : found.write(payload, type);
        } catch (PayloadConversionException e) {
            throw e;
        } catch (RuntimeException e) {
            throw failed("A " + payload.getClass().getTypeName() + " can't be written", e);
        }
    }

    /**
     * Reads a payload.
     *
     * @param body the payload's bytes
     * @param type the type to read, including its generics
     * @return the payload; for {@code byte[]} the same array
     * @throws PayloadConversionException if the payload can't be read as that type; exceptions of the converter are
     *     wrapped
     */
    public Object read(byte[] body, Type type) {
        return read(body, type, null);
    }

    /**
     * Reads the payload of a topic's message. What the payload lacks is logged once for each class and topic.
     *
     * @see #read(byte[], Type)
     */
    public Object read(byte[] body, Type type, @Nullable String topic) {
        if (type == byte[].class) {
            return body;
        }
        if (type == String.class) {
            return decode(body);
        }
        try {
            PayloadConverter found = converter.get();
            return found instanceof JsonPayloadConverter json ? json.read(body, type, topic) : found.read(body, type);
        } catch (PayloadConversionException e) {
            throw e;
        } catch (RuntimeException e) {
            throw failed("The payload can't be read as " + type.getTypeName(), e);
        }
    }

    /** Whether a payload has to be written as the type of its receiver, because its class does not know its generics. */
    public boolean needsType(Object payload, Type type) {
        return converter.get() instanceof JsonPayloadConverter json && json.needsType(payload, type);
    }

    /**
     * Reads a written payload as its receiver would.
     *
     * @param type the receiver's type; null if only the payload's class is known
     * @throws PayloadConversionException if the receiver can't read it, or if values are lost
     */
    public void readBack(byte[] written, Object payload, @Nullable Type type) {
        if (type == byte[].class || type == String.class) {
            return;
        }
        try {
            if (converter.get() instanceof JsonPayloadConverter json) {
                json.readBack(written, payload, type);
            } else if (type != null) {
                read(written, type);
            }
        } catch (PayloadConversionException e) {
            throw e;
        } catch (RuntimeException e) {
            throw failed("A " + payload.getClass().getTypeName() + " can't be read back", e);
        }
    }

    private static PayloadConversionException failed(String what, RuntimeException e) {
        return new PayloadConversionException(what + ": " + e, e);
    }

    /** Rejects an unpaired surrogate, which would silently become a replacement character. */
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
                    "The text can't be written as UTF-8, because it contains an unpaired surrogate", e);
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
                    "The payload can't be read as text, because it is not UTF-8; use byte[] instead", e);
        }
    }
}
