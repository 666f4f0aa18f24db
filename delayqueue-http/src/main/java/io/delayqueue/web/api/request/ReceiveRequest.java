package io.delayqueue.web.api.request;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.delayqueue.message.Names;
import io.delayqueue.web.api.json.InvalidRequestException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Receives due messages of one of several topics.
 *
 * @param topics 1 to 100 topics of at most 128 bytes of UTF-8 each, in the order of their priority; repeated topics are
 *     ignored
 * @param count maximum number of messages, 1 to delayqueue.http.api.max-count; by default 1
 * @param waitTime maximum time to wait for the first message, 0 to delayqueue.http.api.max-wait; by default 0
 * @param lease duration of the leases, 1 s to 1 d; by default 30 s
 * @param settlements at most delayqueue.http.api.max-count settlements of messages that were received before; they begin
 *     before the receive
 */
public record ReceiveRequest(
        List<String> topics,
        @Nullable Integer count,
        @JsonProperty("wait") @Nullable Duration waitTime, // a record component must not be named wait
        Duration lease,
        List<SettleRequest> settlements)
        implements ApiRequest {

    /** Maximum number of topics. */
    public static final int MAX_TOPICS = 100;

    private static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

    /** Checks the fields. */
    public ReceiveRequest {
        topics = ApiRequest.nonEmpty("topics", topics);
        checkTopics(topics);
        ApiRequest.checkPositive("count", count);
        ApiRequest.checkRange("wait", waitTime, Duration.ZERO, MAX_DURATION);
        lease = leaseOrDefault(lease);
        settlements = settlements == null ? List.of() : List.copyOf(settlements);
    }

    private static void checkTopics(List<String> topics) {
        if (topics.size() > MAX_TOPICS) {
            throw InvalidRequestException.ofField(
                    "topics", "must have at most " + MAX_TOPICS + " elements, but had " + topics.size() + ".");
        }
        for (int i = 0; i < topics.size(); i++) {
            try {
                Names.checkTopic(topics.get(i));
            } catch (IllegalArgumentException e) {
                throw InvalidRequestException.ofField("topics[" + i + "]", "is invalid: " + e.getMessage() + ".");
            }
        }
    }

    static Duration leaseOrDefault(@Nullable Duration lease) {
        ApiRequest.checkRange("lease", lease, MIN_LEASE, MAX_LEASE);
        return lease == null ? DEFAULT_LEASE : lease;
    }
}
