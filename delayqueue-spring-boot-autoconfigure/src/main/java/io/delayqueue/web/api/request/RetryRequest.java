package io.delayqueue.web.api.request;

import io.delayqueue.web.api.json.Fields;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Has a message delivered again.
 *
 * @param delay until then, at most ten years; at once if it isn't given
 * @param reason kept with the message, cut at 500 characters
 */
public record RetryRequest(
        @Nullable Duration delay, @Nullable String reason) implements ApiRequest {

    private static final Duration LONGEST_DELAY = Duration.ofDays(3650);

    static RetryRequest read(Fields fields) {
        RetryRequest request =
                new RetryRequest(fields.duration("delay", Duration.ZERO, LONGEST_DELAY), fields.text("reason"));
        fields.end();
        return request;
    }
}
