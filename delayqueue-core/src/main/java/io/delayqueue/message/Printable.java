package io.delayqueue.message;

import io.delayqueue.Internal;
import org.jspecify.annotations.Nullable;

/**
 * Formats ids, topics and other foreign text for exceptions and log lines: one line, at most {@value #MAX} characters
 * and no characters that a terminal interprets. Short printable text stays unchanged.
 */
@Internal
public final class Printable {

    /**
     * The longest text that is not cut. Valid ids and topics are shorter, unless they contain characters that are
     * escaped.
     */
    public static final int MAX = 256;

    private Printable() {}

    /**
     * Formats a text.
     *
     * @param text of any length; null becomes {@code "null"}
     * @return the text with control characters, line separators, direction marks and unpaired surrogates escaped as
     *     {@code \n} or {@code \}{@code u202e}; if it was cut, its length follows
     */
    public static String of(@Nullable String text) {
        if (text == null || (text.length() <= MAX && isPlain(text))) {
            return String.valueOf(text);
        }
        StringBuilder printable = new StringBuilder();
        int next = 0;
        while (next < text.length()) {
            int point = text.codePointAt(next);
            String shown = isPlain(point) ? Character.toString(point) : escaped(point);
            if (printable.length() + shown.length() > MAX) {
                return printable
                        .append("… (")
                        .append(text.length())
                        .append(" characters)")
                        .toString();
            }
            printable.append(shown);
            next += Character.charCount(point);
        }
        return printable.toString();
    }

    /** Creates no objects, because ids and topics are checked for each delivery. */
    private static boolean isPlain(String text) {
        int next = 0;
        while (next < text.length()) {
            int point = text.codePointAt(next);
            if (!isPlain(point)) {
                return false;
            }
            next += Character.charCount(point);
        }
        return true;
    }

    private static boolean isPlain(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }

    private static String escaped(int point) {
        return switch (point) {
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> String.format("\\u%04x", point);
        };
    }
}
