package io.delayqueue.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The limits that the scripts apply to a shard, and what they permit now.
 *
 * @param maxConcurrent most leased messages; 0 for no limit
 * @param intervalMicros time between two starts in microseconds; 0 for no rate
 * @param maxMessages most messages; 0 for no limit
 * @param now time of the reading, by Redis' clock
 * @param reopensAt when the rate permits the next start; null if it permits one now, or if there is no rate
 * @param allKeysAtLimit whether every key that has due messages has reached the per-key limit
 * @param hold the hold that is in force; null if there is none
 */
public record LimitState(
        long maxConcurrent,
        long intervalMicros,
        long maxMessages,
        Instant now,
        @Nullable Instant reopensAt,
        boolean allKeysAtLimit,
        @Nullable Hold hold) {

    private static final Pattern LIMITS =
            Pattern.compile("(\\d{1,18}) (\\d{1,18}) (\\d{1,18}) (\\d{1,18})(?: \\d{1,18})?");
    private static final Pattern HOLD = Pattern.compile("(\\d{1,18}) (\\d{1,9}) (.*)", Pattern.DOTALL);
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    /**
     * A message holds the topic: until a time, no message is claimed.
     *
     * @param until the end of the hold, by Redis' clock
     * @param times how often in a row this message asked for a hold
     * @param id id of the message
     */
    public record Hold(Instant until, int times, String id) {}

    /**
     * Reads the fields of the shard; null if it has no limits.
     *
     * @param arrival theoretical arrival time of the rate in steady time, or an empty text
     * @param hold text of the hold, or an empty text
     * @param steadyMicros the steady time at {@code now}
     */
    public static @Nullable LimitState read(
            String limits, String arrival, String hold, boolean allKeysAtLimit, long steadyMicros, Instant now) {
        Matcher parts = LIMITS.matcher(limits);
        if (!parts.matches()) {
            return null;
        }
        long interval = Long.parseLong(parts.group(2));
        long burst = Long.parseLong(parts.group(3));
        // as limiting.lua reads the arrival time after a change to a shorter interval
        long opensIn = interval > 0 && NUMBER.matcher(arrival).matches()
                ? Math.min(Long.parseLong(arrival) - steadyMicros, burst * interval) - (burst - 1) * interval
                : 0;
        return new LimitState(
                Long.parseLong(parts.group(1)),
                interval,
                Long.parseLong(parts.group(4)),
                now,
                opensIn > 0 ? now.plus(opensIn, ChronoUnit.MICROS) : null,
                allKeysAtLimit,
                hold(hold, steadyMicros, now));
    }

    private static @Nullable Hold hold(String text, long steadyMicros, Instant now) {
        Matcher parts = HOLD.matcher(text);
        if (!parts.matches()) {
            return null;
        }
        long left = Long.parseLong(parts.group(1)) * 1000 - steadyMicros;
        return left <= 0
                ? null
                : new Hold(now.plus(left, ChronoUnit.MICROS), Integer.parseInt(parts.group(2)), parts.group(3));
    }
}
