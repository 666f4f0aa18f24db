package io.delayqueue.web.api.response;

import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The reason for which a request failed (RFC 9457).
 *
 * @param type stable identifier for programs
 * @param title summary of the type
 * @param status HTTP status of the response
 * @param detail what is wrong with this request, where, and what to do
 * @param topic topic of the message concerned; omitted if there is none
 * @param id id of the message concerned; omitted if there is none
 * @param requestId id of the request, as in the header X-Request-Id
 */
public record Problem(
        String type,
        String title,
        int status,
        String detail,
        @Nullable String topic,
        @Nullable String id,
        @Nullable String requestId) {

    private static final int MAX_DETAIL = 600;

    /** Characters that a terminal or a browser interprets instead of displaying. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");

    /** Escapes unprintable characters in the detail and truncates it, since it may quote input of the client. */
    public Problem {
        String shown = UNPRINTABLE.matcher(start(detail)).replaceAll(Problem::escaped);
        detail = start(shown) + (detail.length() > MAX_DETAIL || shown.length() > MAX_DETAIL ? "…" : "");
    }

    private static String start(String text) {
        if (text.length() <= MAX_DETAIL) {
            return text;
        }
        // does not split a surrogate pair, which UTF-8 could not encode
        return text.substring(0, Character.isHighSurrogate(text.charAt(MAX_DETAIL - 1)) ? MAX_DETAIL - 1 : MAX_DETAIL);
    }

    private static String escaped(MatchResult found) {
        return found.group()
                .chars()
                .mapToObj(each -> String.format(Locale.ROOT, "\\\\u%04x", each))
                .collect(Collectors.joining());
    }

    /** Returns a copy that names the message concerned. */
    public Problem about(String topic, String id) {
        return new Problem(type, title, status, detail, topic, id, requestId);
    }

    /** Returns a copy with the id of the request. */
    public Problem of(String requestId) {
        return new Problem(type, title, status, detail, topic, id, requestId);
    }

    /** Returns the type without its prefix, such as {@code lease-lost}. */
    public String shortType() {
        return type.substring(type.lastIndexOf(':') + 1);
    }
}
