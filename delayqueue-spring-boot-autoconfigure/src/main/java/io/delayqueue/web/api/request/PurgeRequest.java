package io.delayqueue.web.api.request;

import io.delayqueue.web.api.json.Fields;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Removes dead letters.
 *
 * @param until those that died at this moment or before; if it isn't given, all that died before the request
 */
public record PurgeRequest(@Nullable Instant until) implements ApiRequest {

    static PurgeRequest read(Fields fields) {
        PurgeRequest request = new PurgeRequest(fields.date("until"));
        fields.end();
        return request;
    }
}
