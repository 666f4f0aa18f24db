package io.delayqueue.web.compat.ids;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;

/** Encodes topics in index entries. Blanks, control characters and percent signs are written as {@code %XX}. */
final class TopicText {

    private static final int DELETE = 0x7f;

    private TopicText() {}

    static byte[] escape(String topic) {
        ByteArrayOutputStream escaped = new ByteArrayOutputStream(topic.length() + 8);
        for (byte b : topic.getBytes(UTF_8)) {
            int value = b & 0xff;
            if (value <= ' ' || value == '%' || value == DELETE) {
                escaped.writeBytes(String.format("%%%02X", value).getBytes(UTF_8));
            } else {
                escaped.write(value);
            }
        }
        return escaped.toByteArray();
    }

    static String unescape(byte[] escaped) {
        ByteArrayOutputStream topic = new ByteArrayOutputStream(escaped.length);
        for (int i = 0; i < escaped.length; i++) {
            if (escaped[i] == '%') {
                topic.write(Integer.parseInt(new String(escaped, i + 1, 2, UTF_8), 16));
                i += 2;
            } else {
                topic.write(escaped[i]);
            }
        }
        return topic.toString(UTF_8);
    }
}
