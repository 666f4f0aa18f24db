package io.delayqueue.actuate.answer;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A payload as far as it is shown: as text if it is text, else in Base64, cut at {@value #MAX_BYTES} bytes.
 *
 * @param bytes how long it is as it is stored
 * @param truncated whether only its beginning is here
 * @param hidden whether the caller is not allowed to see it
 */
public record PayloadAnswer(
        @Nullable String text, @Nullable String base64, int bytes, boolean truncated, boolean hidden) {

    /** Of a longer payload only so many bytes are shown. */
    public static final int MAX_BYTES = 8192;

    /** For those who may not see it. */
    public static PayloadAnswer hidden(byte[] payload) {
        return new PayloadAnswer(null, null, payload.length, false, true);
    }

    /** For those who may. */
    public static PayloadAnswer shown(byte[] payload) {
        boolean truncated = payload.length > MAX_BYTES;
        int end = truncated ? beginOfCharacter(payload, MAX_BYTES) : payload.length;
        String text = text(ByteBuffer.wrap(payload, 0, end));
        String base64 = text != null
                ? null
                : Base64.getEncoder().encodeToString(truncated ? Arrays.copyOf(payload, MAX_BYTES) : payload);
        return new PayloadAnswer(text, base64, payload.length, truncated, false);
    }

    /** Where the character begins that a position lies in, if this is UTF-8; else somewhere before. */
    private static int beginOfCharacter(byte[] utf8, int position) {
        int begin = position;
        while (begin > position - 4 && (utf8[begin] & 0xC0) == 0x80) {
            begin--;
        }
        return begin;
    }

    /** Null if it is no UTF-8, or has characters that no text has. */
    private static @Nullable String text(ByteBuffer bytes) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
            return text.chars().allMatch(PayloadAnswer::isOfText) ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static boolean isOfText(int character) {
        return character >= ' ' || character == '\n' || character == '\r' || character == '\t';
    }
}
