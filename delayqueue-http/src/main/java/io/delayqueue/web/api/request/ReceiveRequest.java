package io.delayqueue.web.api.request;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Receives due messages.
 *
 * @param count maximum number of messages, 1 to delayqueue.http.api.max-count; by default 1
 * @param waitTime maximum time to wait for the first message, 0 to delayqueue.http.api.max-wait; by default 0
 * @param lease duration of the leases, 1 s to 1 d; by default 30 s
 */
public record ReceiveRequest(
        @Nullable Integer count,
        @JsonProperty("wait") @Nullable Duration waitTime, // a record component must not be named wait
        Duration lease)
        implements ApiRequest {

    private static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

    /** Checks the fields. */
    public ReceiveRequest {
        ApiRequest.checkPositive("count", count);
        ApiRequest.checkRange("wait", waitTime, Duration.ZERO, MAX_DURATION);
        lease = leaseOrDefault(lease);
    }

    static Duration leaseOrDefault(@Nullable Duration lease) {
        ApiRequest.checkRange("lease", lease, MIN_LEASE, MAX_LEASE);
        return lease == null ? DEFAULT_LEASE : lease;
    }
}
