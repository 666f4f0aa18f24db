package io.delayqueue.message;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a message fixes for itself at the send; an absent value leaves the choice to the listener.
 *
 * @param maxAttempts 1 or more
 * @param lease 1 second or more
 * @param expireAfter how long after its due time it is still worth handling; follows a reschedule
 * @param expireAt the date after which it isn't worth handling
 */
public record MessageLimits(
        @Nullable Integer maxAttempts,
        @Nullable Duration lease,
        @Nullable Duration expireAfter,
        @Nullable Instant expireAt) {

    /** Nothing fixed. */
    public static final MessageLimits NONE = new MessageLimits(null, null, null, null);

    /** Checks each value. */
    public MessageLimits {
        if (maxAttempts != null && maxAttempts < 1) {
            throw new IllegalArgumentException("maxAttempts is 1 or more, but is " + maxAttempts);
        }
        if (lease != null && lease.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException("A lease is 1 s or more, but is " + lease);
        }
        if (expireAfter != null && expireAfter.isNegative()) {
            throw new IllegalArgumentException("expireAfter is not negative, but is " + expireAfter);
        }
        if (expireAfter != null && expireAt != null) {
            throw new IllegalArgumentException("Set expireAfter or expireAt, not both");
        }
    }

    /** Whether nothing is fixed. */
    public boolean isEmpty() {
        return equals(NONE);
    }
}
