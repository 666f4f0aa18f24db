package io.delayqueue.template.receive;

import io.delayqueue.message.DurationText;
import io.delayqueue.message.Names;
import java.time.Duration;
import org.springframework.util.Assert;

/**
 * A request to receive messages.
 *
 * @param topic the topic
 * @param max most deliveries, 1 to 500
 * @param waitTime longest wait for the first delivery, 0 to 1 d
 * @param lease duration of the lease, 1 s to 1 d
 */
public record ReceiveRequest(String topic, int max, Duration waitTime, Duration lease) {

    private static final int LARGEST = 500;
    private static final Duration LONGEST = Duration.ofDays(1);

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a value is null, blank or out of its range
     */
    public ReceiveRequest {
        Names.checkTopic(topic);
        Assert.notNull(waitTime, "'waitTime' must not be null");
        Assert.notNull(lease, "'lease' must not be null");
        if (max < 1 || max > LARGEST) {
            throw new IllegalArgumentException("max must be from 1 to " + LARGEST + ", but was " + max);
        }
        requireRange("waitTime", waitTime, Duration.ZERO);
        requireRange("lease", lease, Duration.ofSeconds(1));
    }

    private static void requireRange(String name, Duration value, Duration min) {
        if (value.compareTo(min) < 0 || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must be from " + DurationText.of(min) + " to "
                    + DurationText.of(LONGEST) + ", but was " + DurationText.of(value));
        }
    }
}
