package io.delayqueue.management;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value as it was written, including its number formats.
 *
 * @param text valid JSON
 */
public record JsonText(String text) {

    /** The value null. */
    public static final JsonText NULL = new JsonText("null");

    /** Returns bytes as JSON, or null if they are not one valid JSON value in UTF-8. */
    public static @Nullable JsonText of(byte[] bytes) {
        String text = textOf(bytes);
        return text != null && ManagementJson.isValue(text) ? new JsonText(text) : null;
    }

    /** Returns bytes as text, or null if they are not valid UTF-8. */
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
