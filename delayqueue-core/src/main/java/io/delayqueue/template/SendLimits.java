package io.delayqueue.template;

import io.delayqueue.Internal;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Due;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.Utf8;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Limits of a send. Immutable.
 *
 * @param maxPayloadBytes largest stored payload in bytes, 1 to 268,435,456 ({@code delayqueue.limits.max-payload-size})
 * @param maxHeaderBytes largest size of a message's headers, names and values in UTF-8, in bytes, 0 to 16,777,216
 *     ({@code delayqueue.limits.max-headers-size})
 * @param maxDelay longest time until a message is due, 1 s to 1,000 years ({@code delayqueue.limits.max-delay})
 * @param maxBatchElements most messages per script call, 1 to 500 ({@code delayqueue.limits.max-batch-elements})
 * @param maxBatchBytes most bytes per script call, 1 to 268,435,456; a single larger message is still sent
 *     ({@code delayqueue.limits.max-batch-size})
 */
@Internal
public record SendLimits(
        int maxPayloadBytes, int maxHeaderBytes, Duration maxDelay, int maxBatchElements, int maxBatchBytes) {

    private static final int MIB = 1024 * 1024;

    /** The default limits: 1 MiB, 64 KiB, 10 years, 500 messages and 2 MiB. */
    public static final SendLimits DEFAULTS = new SendLimits(MIB, 64 * 1024, Duration.ofDays(3_653), 500, 2 * MIB);

    /**
     * Checks the ranges.
     *
     * @throws InvalidOptionException if a limit is out of its range
     */
    public SendLimits {
        InvalidOptionException.requireRange("maxPayloadSize", maxPayloadBytes, 1, 256 * MIB);
        InvalidOptionException.requireRange("maxHeadersSize", maxHeaderBytes, 0, 16 * MIB);
        InvalidOptionException.requireRange("maxBatchElements", maxBatchElements, 1, 500);
        InvalidOptionException.requireRange("maxBatchSize", maxBatchBytes, 1, 256 * MIB);
        InvalidOptionException.require(
                maxDelay.compareTo(Duration.ofSeconds(1)) >= 0 && maxDelay.compareTo(Duration.ofDays(365_250)) <= 0,
                "maxDelay",
                "must be from 1 s to 1,000 years, but was " + DurationText.of(maxDelay));
    }

    /**
     * Checks a due time against {@link #maxDelay}.
     *
     * @param clock for due times given as a date
     * @return the error, or null if the due time is valid
     */
    public @Nullable String objectionTo(Due due, InstantSource clock) {
        long ahead = due.relative() ? Math.max(due.millis(), due.longest()) : due.millis() - clock.millis();
        return ahead <= maxDelay.toMillis()
                ? null
                : "it is due in " + DurationText.of(Duration.ofMillis(ahead)) + ", but delayqueue.limits.max-delay is "
                        + DurationText.of(maxDelay);
    }

    /**
     * Checks the due time and the expiry of a message. The message itself has checked a due date against its expiry; a
     * delay is comparable from here on only, by this process' clock.
     *
     * @param clock for the delays of dates
     * @return the error, or null if both are valid
     */
    public @Nullable String objectionTo(DelayMessage message, InstantSource clock) {
        Due due = message.due();
        String objection = objectionTo(due, clock);
        Instant expireAt = message.limits().expireAt();
        if (objection != null || expireAt == null || !due.relative() || due.millis() == 0) {
            return objection;
        }
        return expireAt.isBefore(clock.instant().plusMillis(due.millis()))
                ? "it expires at " + expireAt + ", before it is due in "
                        + DurationText.of(Duration.ofMillis(due.millis()))
                : null;
    }

    /**
     * Checks the size of a message.
     *
     * @param payloadBytes size of the stored payload
     * @return the error, or null if neither payload nor headers are too large
     */
    public @Nullable String tooLarge(int payloadBytes, Map<String, String> headers) {
        if (payloadBytes > maxPayloadBytes) {
            return "its payload has " + payloadBytes + " bytes, but delayqueue.limits.max-payload-size is "
                    + maxPayloadBytes + " bytes";
        }
        int size = 0;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            size += Utf8.length(header.getKey()) + Utf8.length(header.getValue());
        }
        return size > maxHeaderBytes
                ? "its headers have " + size + " bytes, but delayqueue.limits.max-headers-size is " + maxHeaderBytes
                        + " bytes"
                : null;
    }
}
