package io.delayqueue.web.api.request;

import io.delayqueue.web.api.json.InvalidRequestException;
import java.time.Duration;

/**
 * Makes a message due when it was not sent again for a time.
 *
 * @param quiet time from the last send until the message is due, 1 ms to delayqueue.limits.max-delay
 * @param atTheLatest longest time from the first send until the message is due, at least quiet, at most
 *     delayqueue.limits.max-delay
 */
public record DebounceRequest(Duration quiet, Duration atTheLatest) implements ApiRequest {

    /** Checks the times. */
    public DebounceRequest {
        check("quiet", quiet);
        check("atTheLatest", atTheLatest);
        if (atTheLatest.compareTo(quiet) < 0) {
            throw InvalidRequestException.ofField("atTheLatest", "must not be less than 'quiet'.");
        }
    }

    private static void check(String field, Duration time) {
        if (time == null) {
            throw InvalidRequestException.ofField(field, "is required.");
        }
        ApiRequest.checkRange(field, time, Duration.ofMillis(1), MAX_DURATION);
    }
}
