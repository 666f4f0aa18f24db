package io.delayqueue.web.api.json;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value as it was written, number formats and all.
 *
 * @param text valid JSON
 */
public record JsonText(String text) {

    /** Bytes as JSON; null if they are none, or none that JSON's libraries would read everywhere. */
    public static @Nullable JsonText of(byte[] bytes) {
        String text = textOf(bytes);
        return text != null && Json.isValue(text) ? new JsonText(text) : null;
    }

    /** Bytes as text; null if they are no UTF-8. */
    public static @Nullable String textOf(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
