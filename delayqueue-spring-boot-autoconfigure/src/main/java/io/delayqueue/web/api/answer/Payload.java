package io.delayqueue.web.api.answer;

import io.delayqueue.web.api.json.JsonText;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A stored payload in the first of three forms that loses nothing of it.
 *
 * @param json if it is JSON, as it is stored
 * @param text if it is text in UTF-8
 * @param base64 else
 */
record Payload(
        @Nullable JsonText json,
        @Nullable String text,
        @Nullable String base64) {

    static Payload of(byte[] stored) {
        JsonText json = JsonText.of(stored);
        if (json != null) {
            return new Payload(json, null, null);
        }
        String text = JsonText.textOf(stored);
        return new Payload(null, text, text == null ? Base64.getEncoder().encodeToString(stored) : null);
    }
}
