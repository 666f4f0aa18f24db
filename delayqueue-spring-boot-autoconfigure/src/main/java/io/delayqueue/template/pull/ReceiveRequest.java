package io.delayqueue.template.pull;

import io.delayqueue.message.DelayMessage;
import java.time.Duration;

/**
 * What a receiver asks for.
 *
 * @param topic the topic
 * @param max at most so many deliveries, 1 to 500
 * @param waitTime how long to wait for the first one, 0 to 1 d
 * @param lease for how long they are leased, 1 s to 1 d
 */
public record ReceiveRequest(String topic, int max, Duration waitTime, Duration lease) {

    private static final int LARGEST = 500;
    private static final Duration LONGEST = Duration.ofDays(1);

    /** Checks each range. */
    public ReceiveRequest {
        DelayMessage.checkTopic(topic);
        if (max < 1 || max > LARGEST) {
            throw new IllegalArgumentException("max is between 1 and " + LARGEST + ", but is " + max);
        }
        requireRange("waitTime", waitTime, Duration.ZERO);
        requireRange("lease", lease, Duration.ofSeconds(1));
    }

    private static void requireRange(String name, Duration value, Duration min) {
        if (value.compareTo(min) < 0 || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " is between " + min + " and " + LONGEST + ", but is " + value);
        }
    }
}
