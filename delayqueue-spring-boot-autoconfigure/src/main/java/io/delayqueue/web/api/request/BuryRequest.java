package io.delayqueue.web.api.request;

import io.delayqueue.web.api.json.Fields;
import org.jspecify.annotations.Nullable;

/**
 * Gives a message up.
 *
 * @param reason kept with the dead letter, cut at 500 characters
 */
public record BuryRequest(@Nullable String reason) implements ApiRequest {

    static BuryRequest read(Fields fields) {
        BuryRequest request = new BuryRequest(fields.text("reason"));
        fields.end();
        return request;
    }
}
