package io.delayqueue.web.compat;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Text as Go's standard library treats it. */
final class GoText {

    private static final char REPLACEMENT = '\uFFFD';
    private static final int ASCII = 0x80;
    private static final int CONTINUATION = 0xC0;
    private static final String BLANKS = "\t\n\u000B\f\r \u0085\u00A0\u1680\u2028\u2029\u202F\u205F\u3000";

    private GoText() {}

    /** From UTF-8; each byte that is part of nothing valid becomes one U+FFFD. */
    static String decode(byte[] bytes) {
        String text = new String(bytes, UTF_8);
        // Java replaces a whole broken sequence by one
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

    /** How many bytes the code point at a place has, 0 if there is none. */
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
        // neither longer than needed, nor a surrogate, nor beyond the last code point
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

    /** Halves of surrogate pairs become U+FFFD. */
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

    /** Without the white space at both ends: what has Unicode's property of that name, hence not U+001C to U+001F. */
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

    /** Whether a key of a JSON object names a field, in whatever case. */
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

    /** To lower case, as far as that can meet ASCII: by Unicode's simple folding, in which a dotless i is no i. */
    private static char folded(char c) {
        return switch (c) {
            case '\u017F' -> 's';
            case '\u212A' -> 'k';
            default -> c >= 'A' && c <= 'Z' ? (char) (c + 'a' - 'A') : c;
        };
    }

    /** Appends a JSON string, in which nothing is left that HTML or JavaScript would mistake. */
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
