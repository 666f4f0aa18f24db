package io.delayqueue.actuate.answer;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Why there is no answer.
 *
 * @param error one sentence; cut when it is long, as when it repeats what the caller sent
 */
public record ErrorAnswer(String error) implements OperationResponseBody {

    private static final int MAX_TEXT = 600;

    /** Cuts what is too long. */
    public ErrorAnswer {
        if (error.length() > MAX_TEXT) {
            // half a surrogate pair could not be written
            int end = Character.isHighSurrogate(error.charAt(MAX_TEXT - 1)) ? MAX_TEXT - 1 : MAX_TEXT;
            error = error.substring(0, end) + "…";
        }
    }
}
