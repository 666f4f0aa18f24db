package io.delayqueue.actuate.response;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A payload as text if it is UTF-8 text, otherwise in Base64, truncated to {@value #MAX_BYTES} bytes.
 *
 * @param bytes the size of the stored payload in bytes
 * @param truncated whether the payload is truncated
 * @param hidden whether the payload is omitted because the caller may not see it
 */
record PayloadDescriptor(@Nullable String text, @Nullable String base64, int bytes, boolean truncated, boolean hidden) {

    /** The maximum number of bytes of a payload that are included. */
    public static final int MAX_BYTES = 8192;

    /**
     * Creates the descriptor of a payload.
     *
     * @param showPayloads whether the caller may see the content
     */
    static PayloadDescriptor of(byte[] payload, boolean showPayloads) {
        if (!showPayloads) {
            return new PayloadDescriptor(null, null, payload.length, false, true);
        }
        boolean truncated = payload.length > MAX_BYTES;
        int end = truncated ? beginOfCharacter(payload, MAX_BYTES) : payload.length;
        String text = text(ByteBuffer.wrap(payload, 0, end));
        String base64 = text != null
                ? null
                : Base64.getEncoder().encodeToString(truncated ? Arrays.copyOf(payload, MAX_BYTES) : payload);
        return new PayloadDescriptor(text, base64, payload.length, truncated, false);
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
            return text.chars().allMatch(PayloadDescriptor::isOfText) ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static boolean isOfText(int character) {
        return character >= ' ' || character == '\n' || character == '\r' || character == '\t';
    }
}
