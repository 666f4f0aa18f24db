package io.delayqueue.web.api.request;

import io.delayqueue.web.api.json.Fields;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Asks for due messages.
 *
 * @param count at most so many; 1 if it isn't given
 * @param waitTime how long to wait for the first one; not at all if it isn't given
 * @param lease for how long they are leased, 1 s to 1 d; 30 s if it isn't given
 */
public record PullRequest(@Nullable Integer count, @Nullable Duration waitTime, Duration lease) implements ApiRequest {

    private static final Duration USUAL_LEASE = Duration.ofSeconds(30);
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);
    private static final Duration LONGEST_LEASE = Duration.ofDays(1);

    static PullRequest read(Fields fields) {
        PullRequest request = new PullRequest(
                fields.number("count", 1, Integer.MAX_VALUE),
                fields.duration("wait", Duration.ZERO, LONGEST),
                lease(fields));
        fields.end();
        return request;
    }

    static Duration lease(Fields fields) {
        Duration lease = fields.duration("lease", SHORTEST_LEASE, LONGEST_LEASE);
        return lease == null ? USUAL_LEASE : lease;
    }
}
