package io.delayqueue.web.api.request;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Retries a message.
 *
 * @param delay time until the next delivery, 0 to 3,650 d; by default 0
 * @param reason stored with the message; truncated to 500 characters
 */
public record RetryRequest(
        @Nullable Duration delay, @Nullable String reason) implements ApiRequest {

    /** Checks the delay. */
    public RetryRequest {
        ApiRequest.checkRange("delay", delay, Duration.ZERO, MAX_DELAY);
    }
}
