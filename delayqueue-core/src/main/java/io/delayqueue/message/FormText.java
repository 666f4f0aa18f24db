package io.delayqueue.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.Internal;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.HashMap;
import java.util.Map;

/** Named values as one line of text, encoded as {@code application/x-www-form-urlencoded}. */
@Internal
public final class FormText {

    private FormText() {}

    /** Appends a value to the last line of a text. */
    public static void append(StringBuilder text, String name, Object value) {
        if (!text.isEmpty() && text.charAt(text.length() - 1) != '\n') {
            text.append('&');
        }
        text.append(name).append('=').append(URLEncoder.encode(value.toString(), UTF_8));
    }

    /**
     * Reads the values of a line.
     *
     * @throws IllegalArgumentException if a value has an invalid escape
     */
    public static Map<String, String> read(String line) {
        Map<String, String> values = new HashMap<>();
        for (String field : line.split("&", -1)) {
            int equals = field.indexOf('=');
            if (equals > 0) {
                values.put(field.substring(0, equals), URLDecoder.decode(field.substring(equals + 1), UTF_8));
            }
        }
        return values;
    }
}
