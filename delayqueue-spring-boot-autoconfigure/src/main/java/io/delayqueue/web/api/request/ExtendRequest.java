package io.delayqueue.web.api.request;

import io.delayqueue.web.api.json.Fields;
import java.time.Duration;

/**
 * Extends a lease.
 *
 * @param lease for how long it holds from now on, 1 s to 1 d; 30 s if it isn't given
 */
public record ExtendRequest(Duration lease) implements ApiRequest {

    static ExtendRequest read(Fields fields) {
        ExtendRequest request = new ExtendRequest(PullRequest.lease(fields));
        fields.end();
        return request;
    }
}
