package io.delayqueue.template.receive;

import io.delayqueue.message.DurationText;
import io.delayqueue.message.Names;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

/**
 * A request to receive messages. Immutable.
 *
 * <pre>{@code
 * ReceiveRequest.from("order-cancel").max(10).waitTime(Duration.ofSeconds(20)).lease(Duration.ofMinutes(5))
 * }</pre>
 *
 * @param topics 1 to 100 topics, in the order of their priority; duplicates are ignored
 * @param max most deliveries, 1 to 500
 * @param waitTime longest wait for the first delivery, 0 to 1 d; 0 polls each topic once
 * @param lease duration of the lease, 1 s to 1 d; null for the default lease of the topic
 */
public record ReceiveRequest(
        List<String> topics,
        int max,
        Duration waitTime,
        @Nullable Duration lease) {

    private static final int MAX_TOPICS = 100;
    private static final int LARGEST = 500;
    private static final Duration LONGEST = Duration.ofDays(1);

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a value is null, blank or out of its range
     */
    public ReceiveRequest {
        Assert.notNull(topics, "'topics' must not be null");
        Assert.notNull(waitTime, "'waitTime' must not be null");
        topics.forEach(Names::checkTopic);
        topics = topics.stream().distinct().toList();
        if (topics.isEmpty() || topics.size() > MAX_TOPICS) {
            throw new IllegalArgumentException(
                    "topics must name 1 to " + MAX_TOPICS + " topics, but named " + topics.size());
        }
        if (max < 1 || max > LARGEST) {
            throw new IllegalArgumentException("max must be from 1 to " + LARGEST + ", but was " + max);
        }
        requireRange("waitTime", waitTime, Duration.ZERO);
        if (lease != null) {
            requireRange("lease", lease, Duration.ofSeconds(1));
        }
    }

    private static void requireRange(String name, Duration value, Duration min) {
        if (value.compareTo(min) < 0 || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must be from " + DurationText.of(min) + " to "
                    + DurationText.of(LONGEST) + ", but was " + DurationText.of(value));
        }
    }

    /**
     * Creates a request for one message, without a wait and with the default lease of the topic.
     *
     * @param topics 1 to 100 topics, in the order of their priority
     */
    public static ReceiveRequest from(String... topics) {
        Assert.notNull(topics, "'topics' must not be null");
        return from(Arrays.asList(topics));
    }

    /**
     * Creates a request for one message, without a wait and with the default lease of the topic.
     *
     * @param topics 1 to 100 topics, in the order of their priority
     */
    public static ReceiveRequest from(List<String> topics) {
        return new ReceiveRequest(topics, 1, Duration.ZERO, null);
    }

    /** The same with another maximum of deliveries, 1 to 500; together at most 2 MiB, but at least one. */
    public ReceiveRequest max(int max) {
        return new ReceiveRequest(topics, max, waitTime, lease);
    }

    /** The same with a longest wait for the first delivery, 0 to 1 d. */
    public ReceiveRequest waitTime(Duration waitTime) {
        return new ReceiveRequest(topics, max, waitTime, lease);
    }

    /** The same with a duration of the lease, 1 s to 1 d. */
    public ReceiveRequest lease(Duration lease) {
        Assert.notNull(lease, "'lease' must not be null");
        return new ReceiveRequest(topics, max, waitTime, lease);
    }
}
