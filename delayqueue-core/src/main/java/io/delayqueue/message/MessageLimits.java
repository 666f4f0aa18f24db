package io.delayqueue.message;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Limits that a message sets for itself. A null value leaves the choice to the listener.
 *
 * @param maxAttempts maximum number of attempts, 1 or more
 * @param lease length of the lease of a delivery, 1 second to 1 day
 * @param expireAfter how long after its due time the message may still be claimed, 0 to 1,000 years; a reschedule
 *     moves the end of this time
 * @param expireAt the date until which the message may be claimed, between 1970 and 9999
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

    /** No limits. */
    public static final MessageLimits NONE = new MessageLimits(null, null, null, null);

    /**
     * Checks each value.
     *
     * @throws IllegalArgumentException if a value is out of range, or both expiries are set
     */
    public MessageLimits {
        if (maxAttempts != null && maxAttempts < 1) {
            throw new IllegalArgumentException("maxAttempts must be 1 or more, but was " + maxAttempts);
        }
        if (lease != null) {
            InvalidOptionException.requireRange("lease", lease, SHORTEST_LEASE, LONGEST_LEASE);
        }
        if (expireAfter != null && (expireAfter.isNegative() || expireAfter.compareTo(LONGEST_EXPIRY) > 0)) {
            throw new IllegalArgumentException(
                    "expireAfter must be from 0 to 1,000 years, but was " + DurationText.of(expireAfter));
        }
        if (expireAt != null && (expireAt.isBefore(Instant.EPOCH) || expireAt.isAfter(LATEST_EXPIRY))) {
            throw new IllegalArgumentException("expireAt must be between 1970 and 9999, but was " + expireAt);
        }
        if (expireAfter != null && expireAt != null) {
            throw new IllegalArgumentException("Set expireAfter or expireAt, not both");
        }
    }

    /** Whether no limit is set. */
    public boolean isEmpty() {
        return equals(NONE);
    }
}
