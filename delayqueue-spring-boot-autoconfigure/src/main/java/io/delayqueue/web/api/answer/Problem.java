package io.delayqueue.web.api.answer;

import org.jspecify.annotations.Nullable;

/**
 * Why a request was not carried out (RFC 9457).
 *
 * @param type by which programs tell problems apart
 * @param title what all problems of the type have in common
 * @param status the response's
 * @param detail what was wrong with this request, where, and what to do
 * @param topic of the message that it is about
 * @param id of the message that it is about
 */
public record Problem(
        String type,
        String title,
        int status,
        String detail,
        @Nullable String topic,
        @Nullable String id) {

    private static final int MAX_DETAIL = 600;

    /** Cuts a detail that is long, as when it repeats what the client sent. */
    public Problem {
        if (detail.length() > MAX_DETAIL) {
            // half a surrogate pair could not be written
            int end = Character.isHighSurrogate(detail.charAt(MAX_DETAIL - 1)) ? MAX_DETAIL - 1 : MAX_DETAIL;
            detail = detail.substring(0, end) + "…";
        }
    }

    /** About a message. */
    public Problem about(String topic, String id) {
        return new Problem(type, title, status, detail, topic, id);
    }
}
