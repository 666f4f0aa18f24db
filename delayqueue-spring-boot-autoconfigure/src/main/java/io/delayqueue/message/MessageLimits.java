package io.delayqueue.message;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a message fixes for itself at the send; an absent value leaves the choice to the listener.
 *
 * @param maxAttempts 1 or more
 * @param lease 1 second to 1 day
 * @param expireAfter how long after its due time it is still worth handling, 0 to 1,000 years; follows a reschedule
 * @param expireAt the date after which it isn't worth handling, between 1970 and 9999
 */
public record MessageLimits(
        @Nullable Integer maxAttempts,
        @Nullable Duration lease,
        @Nullable Duration expireAfter,
        @Nullable Instant expireAt) {

    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);
    private static final Duration LONGEST_LEASE = Duration.ofDays(1);
    private static final Duration LONGEST_EXPIRY = Duration.ofDays(365_250);
    private static final Instant LATEST_EXPIRY = Instant.parse("9999-12-31T23:59:59.999Z");

    /** Nothing fixed. */
    public static final MessageLimits NONE = new MessageLimits(null, null, null, null);

    /** Checks each value. */
    public MessageLimits {
        if (maxAttempts != null && maxAttempts < 1) {
            throw new IllegalArgumentException("maxAttempts is 1 or more, but is " + maxAttempts);
        }
        if (lease != null && (lease.compareTo(SHORTEST_LEASE) < 0 || lease.compareTo(LONGEST_LEASE) > 0)) {
            throw new IllegalArgumentException("A lease is between 1 s and 1 d, but is " + lease);
        }
        if (expireAfter != null && (expireAfter.isNegative() || expireAfter.compareTo(LONGEST_EXPIRY) > 0)) {
            throw new IllegalArgumentException("expireAfter is between 0 and 1,000 years, but is " + expireAfter);
        }
        if (expireAt != null && (expireAt.isBefore(Instant.EPOCH) || expireAt.isAfter(LATEST_EXPIRY))) {
            throw new IllegalArgumentException("expireAt lies between 1970 and 9999, but is " + expireAt);
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
