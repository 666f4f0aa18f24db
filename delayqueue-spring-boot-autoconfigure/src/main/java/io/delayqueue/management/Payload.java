package io.delayqueue.management;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * What a caller sees of a stored payload, in the first of three forms that represents it without loss.
 *
 * @param payload the payload, if it is JSON and shown whole to a program
 * @param payloadText the payload, if it is UTF-8 text
 * @param payloadBase64 the payload in Base64, if it is not UTF-8 text
 * @param payloadBytes the size of the stored payload in bytes, if it is truncated or hidden; a hidden one has no form
 */
public record Payload(
        @Nullable JsonText payload,
        @Nullable String payloadText,
        @Nullable String payloadBase64,
        @Nullable Integer payloadBytes) {

    /** The maximum number of bytes of a beginning. */
    public static final int MAX_BYTES = 8192;

    /** Creates what a caller sees. */
    public static Payload of(byte[] stored, Shown shown) {
        return switch (shown) {
            case ALL -> whole(stored);
            case BEGIN -> begin(stored);
            case SIZE -> new Payload(null, null, null, stored.length);
        };
    }

    private static Payload whole(byte[] stored) {
        JsonText json = JsonText.of(stored);
        if (json != null) {
            return new Payload(json, null, null, null);
        }
        String text = JsonText.textOf(stored);
        return new Payload(null, text, text == null ? Base64.getEncoder().encodeToString(stored) : null, null);
    }

    private static Payload begin(byte[] stored) {
        boolean truncated = stored.length > MAX_BYTES;
        int end = truncated ? beginOfCharacter(stored, MAX_BYTES) : stored.length;
        String text = text(ByteBuffer.wrap(stored, 0, end));
        String base64 = text != null
                ? null
                : Base64.getEncoder().encodeToString(truncated ? Arrays.copyOf(stored, MAX_BYTES) : stored);
        return new Payload(null, text, base64, truncated ? stored.length : null);
    }

    /**
     * Returns the start of the UTF-8 character at a position. If the bytes are not UTF-8, returns a position up to 4
     * bytes earlier.
     */
    private static int beginOfCharacter(byte[] utf8, int position) {
        int begin = position;
        while (begin > position - 4 && (utf8[begin] & 0xC0) == 0x80) {
            begin--;
        }
        return begin;
    }

    /** Decodes UTF-8; null if the bytes are not UTF-8 or contain control characters other than line breaks and tabs. */
    private static @Nullable String text(ByteBuffer bytes) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
            return text.chars().allMatch(Payload::isOfText) ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static boolean isOfText(int character) {
        return character >= ' ' || character == '\n' || character == '\r' || character == '\t';
    }
}
