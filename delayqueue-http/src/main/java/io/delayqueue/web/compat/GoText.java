package io.delayqueue.web.compat;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.util.regex.Pattern;

/** Text functions with the behavior of Go's standard library. */
final class GoText {

    private static final Pattern UNPAIRED_SURROGATE = Pattern.compile("\\p{Cs}");
    private static final String BLANKS = "\t\n\u000B\f\r \u0085\u00A0\u1680\u2028\u2029\u202F\u205F\u3000";

    private GoText() {}

    /** Decodes UTF-8. Each byte that is not part of a valid sequence becomes one U+FFFD. */
    static String decode(byte[] bytes) {
        CharsetDecoder decoder = UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer text = CharBuffer.allocate(bytes.length);
        // Java's own replacement writes one U+FFFD for several bytes
        for (CoderResult result = decoder.decode(in, text, true);
                result.isError();
                result = decoder.decode(in, text, true)) {
            in.position(in.position() + result.length());
            text.put("\uFFFD".repeat(result.length()));
        }
        return text.flip().toString();
    }

    /** Replaces unpaired surrogates with U+FFFD. */
    static String replaceUnpairedSurrogates(String text) {
        return UNPAIRED_SURROGATE.matcher(text).replaceAll("\uFFFD");
    }

    /**
     * Removes leading and trailing characters with the Unicode property White_Space, which excludes U+001C to U+001F.
     */
    static String trim(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isBlank(text.charAt(from))) {
            from++;
        }
        while (from < to && isBlank(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean isBlank(char c) {
        return BLANKS.indexOf(c) >= 0 || (c >= '\u2000' && c <= '\u200A');
    }

    /** Returns whether a JSON key names a field, by Unicode's simple case folding. */
    static boolean isKeyOf(String key, String field) {
        // Java also folds the dotless and the dotted i
        return key.equalsIgnoreCase(field) && key.indexOf('\u0131') < 0 && key.indexOf('\u0130') < 0;
    }

    /** Appends a JSON string. Escapes the characters that are unsafe in HTML or JavaScript. */
    static void quote(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> json.append('\\').append(c);
                case '\b' -> json.append("\\b");
                case '\f' -> json.append("\\f");
                case '\n' -> json.append("\\n");
                case '\r' -> json.append("\\r");
                case '\t' -> json.append("\\t");
                case '<', '>', '&', '\u2028', '\u2029' -> appendEscaped(json, c);
                default -> {
                    if (c < ' ') {
                        appendEscaped(json, c);
                    } else {
                        json.append(c);
                    }
                }
            }
        }
        json.append('"');
    }

    private static void appendEscaped(StringBuilder json, char c) {
        json.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            json.append(Character.forDigit((c >> shift) & 0xf, 16));
        }
    }
}
