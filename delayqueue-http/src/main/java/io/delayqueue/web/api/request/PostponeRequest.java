package io.delayqueue.web.api.request;

import io.delayqueue.web.api.json.InvalidRequestException;
import java.time.Duration;

/**
 * Postpones a message.
 *
 * @param delay time until the next delivery, 0 to 3,650 d
 */
public record PostponeRequest(Duration delay) implements ApiRequest {

    /** Checks the delay. */
    public PostponeRequest {
        if (delay == null) {
            throw InvalidRequestException.ofField("delay", "is required.");
        }
        ApiRequest.checkRange("delay", delay, Duration.ZERO, MAX_DELAY);
    }
}
