package io.delayqueue.template;

import io.delayqueue.message.Due;
import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * What a send takes at most. Immutable.
 *
 * @param maxPayloadBytes of one payload as it is stored, 1 to 268,435,456 ({@code delayqueue.limits.max-payload-size})
 * @param maxHeaderBytes of one message's headers, names and values in UTF-8, 0 to 16,777,216
 *     ({@code delayqueue.limits.max-headers-size})
 * @param maxDelay how far ahead a message may be due, 1 s to 1,000 years ({@code delayqueue.limits.max-delay})
 * @param maxBatchElements messages per script, 1 to 500 ({@code delayqueue.limits.max-batch-elements})
 * @param maxBatchBytes bytes per script, but at least one message, 1 to 268,435,456
 *     ({@code delayqueue.limits.max-batch-size})
 */
public record SendLimits(
        int maxPayloadBytes, int maxHeaderBytes, Duration maxDelay, int maxBatchElements, int maxBatchBytes) {

    private static final int MIB = 1024 * 1024;

    /** The built-in values: 1 MiB, 64 KiB, 10 years, 500 messages and 2 MiB. */
    public static final SendLimits DEFAULTS = new SendLimits(MIB, 64 * 1024, Duration.ofDays(3_653), 500, 2 * MIB);

    /** Checks each range. */
    public SendLimits {
        requireRange("max-payload-size", maxPayloadBytes, 1, 256 * MIB);
        requireRange("max-headers-size", maxHeaderBytes, 0, 16 * MIB);
        requireRange("max-batch-elements", maxBatchElements, 1, 500);
        requireRange("max-batch-size", maxBatchBytes, 1, 256 * MIB);
        if (maxDelay.compareTo(Duration.ofSeconds(1)) < 0 || maxDelay.compareTo(Duration.ofDays(365_250)) > 0) {
            throw new IllegalArgumentException(
                    "delayqueue.limits.max-delay is between 1 s and 1,000 years, but is " + maxDelay);
        }
    }

    /**
     * What is wrong with a due time.
     *
     * @param clock by which a date is so far ahead
     * @return null if nothing is
     */
    public @Nullable String objectionTo(Due due, InstantSource clock) {
        long ahead = due.relative() ? due.millis() : due.millis() - clock.millis();
        return ahead <= maxDelay.toMillis()
                ? null
                : "it is due in " + Duration.ofMillis(ahead).toDays() + " days, but delayqueue.limits.max-delay is "
                        + maxDelay.toDays() + " days";
    }

    private static void requireRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    "delayqueue.limits." + name + " is between " + min + " and " + max + ", but is " + value);
        }
    }
}
