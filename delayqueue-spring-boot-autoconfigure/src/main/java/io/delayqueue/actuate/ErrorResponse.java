package io.delayqueue.actuate;

/**
 * The body of a response with an error status.
 *
 * @param detail the reason in one sentence, truncated to 600 characters
 */
public record ErrorResponse(String detail) {

    private static final int MAX_TEXT = 600;

    /** Truncates a long detail. */
    public ErrorResponse {
        if (detail.length() > MAX_TEXT) {
            // Half of a surrogate pair cannot be encoded.
            int end = Character.isHighSurrogate(detail.charAt(MAX_TEXT - 1)) ? MAX_TEXT - 1 : MAX_TEXT;
            detail = detail.substring(0, end) + "…";
        }
    }
}
