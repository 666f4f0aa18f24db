package io.delayqueue.web.compat;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Text functions with the behavior of Go's standard library. */
final class GoText {

    private static final char REPLACEMENT = '\uFFFD';
    private static final int ASCII = 0x80;
    private static final int CONTINUATION = 0xC0;
    private static final String BLANKS = "\t\n\u000B\f\r \u0085\u00A0\u1680\u2028\u2029\u202F\u205F\u3000";

    private GoText() {}

    /** Decodes UTF-8. Each byte that is not part of a valid sequence becomes one U+FFFD. */
    static String decode(byte[] bytes) {
        String text = new String(bytes, UTF_8);
        // Java replaces a whole invalid sequence with one U+FFFD
        return text.indexOf(REPLACEMENT) < 0 ? text : decodeEach(bytes);
    }

    private static String decodeEach(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length);
        for (int i = 0; i < bytes.length; ) {
            int length = validLength(bytes, i);
            if (length == 0) {
                text.append(REPLACEMENT);
                i++;
            } else {
                text.append(new String(bytes, i, length, UTF_8));
                i += length;
            }
        }
        return text.toString();
    }

    /** Returns the length of the valid sequence at an index in bytes, or 0 if there is none. */
    private static int validLength(byte[] bytes, int at) {
        int first = bytes[at] & 0xff;
        if (first < ASCII) {
            return 1;
        }
        int length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
        if (length == 0 || at + length > bytes.length) {
            return 0;
        }
        int second = bytes[at + 1] & 0xff;
        // rejects overlong sequences, surrogates and values above U+10FFFF
        int least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : ASCII;
        int most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (second < least || second > most) {
            return 0;
        }
        for (int i = 2; i < length; i++) {
            if ((bytes[at + i] & CONTINUATION) != ASCII) {
                return 0;
            }
        }
        return length;
    }

    /** Replaces unpaired surrogates with U+FFFD. */
    static String withoutHalves(String text) {
        StringBuilder whole = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!Character.isSurrogate(c)) {
                continue;
            }
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
                continue;
            }
            whole = whole == null ? new StringBuilder(text) : whole;
            whole.setCharAt(i, REPLACEMENT);
        }
        return whole == null ? text : whole.toString();
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

    /** Returns whether a JSON key names a field, ignoring case. */
    static boolean names(String key, String field) {
        if (key.length() != field.length()) {
            return false;
        }
        for (int i = 0; i < key.length(); i++) {
            if (folded(key.charAt(i)) != field.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Folds the case of characters that fold to ASCII, by Unicode's simple case folding. A dotless i does not fold to
     * i.
     */
    private static char folded(char c) {
        return switch (c) {
            case '\u017F' -> 's';
            case '\u212A' -> 'k';
            default -> c >= 'A' && c <= 'Z' ? (char) (c + 'a' - 'A') : c;
        };
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
