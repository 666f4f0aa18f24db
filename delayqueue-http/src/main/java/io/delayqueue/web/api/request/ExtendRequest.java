package io.delayqueue.web.api.request;

import java.time.Duration;

/**
 * Extends a lease.
 *
 * @param lease duration of the lease from now, 1 s to 1 d; by default 30 s
 */
public record ExtendRequest(Duration lease) implements ApiRequest {

    /** Checks the field. */
    public ExtendRequest {
        lease = ReceiveRequest.leaseOrDefault(lease);
    }
}
