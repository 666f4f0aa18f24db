package io.delayqueue.web.api.request;

import io.delayqueue.web.api.json.InvalidRequestException;
import java.time.Duration;

/**
 * Holds a topic.
 *
 * @param delay time until the next delivery of any message of the topic, 1 ms to 1 h
 */
public record HoldRequest(Duration delay) implements ApiRequest {

    /** Checks the delay. */
    public HoldRequest {
        if (delay == null) {
            throw InvalidRequestException.ofField("delay", "is required.");
        }
        ApiRequest.checkRange("delay", delay, MIN_HOLD, MAX_HOLD);
    }
}
