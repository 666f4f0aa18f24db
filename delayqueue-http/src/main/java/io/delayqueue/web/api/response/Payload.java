package io.delayqueue.web.api.response;

import io.delayqueue.web.api.json.JsonText;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A stored payload, in the first of three forms that represents it without loss. The other two components are null.
 *
 * @param json the payload, if it is JSON
 * @param text the payload, if it is UTF-8 text but not JSON
 * @param base64 the payload in Base64, if it is not UTF-8 text
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
