package io.delayqueue.message;

import io.delayqueue.Internal;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

/**
 * Limits of a topic, over all nodes. A topic with limits has one shard. Immutable.
 *
 * @param maxConcurrent most messages that are leased at the same time, 1 to 1,000,000; null for no limit
 * @param maxConcurrentPerKey most messages of one key of a fair topic that are leased at the same time, 1 to 1,000; null for no
 *     limit
 * @param rate most starts of deliveries within a period; null for no limit
 * @param maxMessages most scheduled, ready and leased messages, 1 to 10^12, beyond which sends are rejected; null for no
 *     limit. Dead letters do not count
 */
public record TopicLimits(
        @Nullable Integer maxConcurrent,
        @Nullable Integer maxConcurrentPerKey,
        @Nullable Rate rate,
        @Nullable Long maxMessages) {

    /** No limits. */
    public static final TopicLimits NONE = new TopicLimits(null, null, null);

    private static final int MOST_CONCURRENT = 1_000_000;
    private static final int MOST_CONCURRENT_PER_KEY = 1_000;
    private static final long MOST_MESSAGES = 1_000_000_000_000L;

    private static final String RATE_TEXT = "\\d{1,7}/\\d{1,8}/(?:\\d{1,7}|-)|0";
    private static final Pattern TEXT = Pattern.compile("(\\d{1,7})(?:/(\\d{1,4}))? (" + RATE_TEXT + ") (\\d{1,13})");

    /**
     * Checks the values.
     *
     * @throws InvalidOptionException if a value is out of range
     */
    public TopicLimits {
        if (maxConcurrent != null) {
            InvalidOptionException.requireRange("maxConcurrent", maxConcurrent, 1, MOST_CONCURRENT);
        }
        if (maxConcurrentPerKey != null) {
            InvalidOptionException.requireRange("maxConcurrentPerKey", maxConcurrentPerKey, 1, MOST_CONCURRENT_PER_KEY);
        }
        if (maxMessages != null) {
            InvalidOptionException.requireRange("maxMessages", maxMessages, 1L, MOST_MESSAGES);
        }
    }

    /**
     * Creates limits without a per-key limit.
     *
     * @throws InvalidOptionException if a value is out of range
     */
    public TopicLimits(@Nullable Integer maxConcurrent, @Nullable Rate rate, @Nullable Long maxMessages) {
        this(maxConcurrent, null, rate, maxMessages);
    }

    /**
     * A rate: no period, wherever it begins, holds more than {@code count} starts.
     *
     * <p>By default, up to 1 + {@code count} / 20 deliveries start in a burst, and 95 % of the rate can be sustained. With
     * a burst of one, deliveries start at even intervals, and the whole rate can be sustained. A larger burst than the
     * default is a choice: a period then holds at most {@code burst} - 1 + {@code count} starts. The interval between
     * starts is a whole number of microseconds, rounded up.
     *
     * @param count number of starts, 1 to 1,000,000
     * @param period the period in whole milliseconds, 1 ms to 1 d
     * @param burst most deliveries that start at once after a pause, 1 to {@code count}; null for the default
     */
    public record Rate(int count, Duration period, @Nullable Integer burst) {

        private static final int MOST = 1_000_000;
        private static final Duration SHORTEST = Duration.ofMillis(1);
        private static final Duration LONGEST = Duration.ofDays(1);
        private static final int NANOS_PER_MILLI = 1_000_000;
        private static final int BURST_PART = 20;
        private static final Pattern RATE = Pattern.compile("(\\d{1,9})\\s*/\\s*(\\S.*)");

        /**
         * Checks the values.
         *
         * @throws InvalidOptionException if a value is out of range
         */
        public Rate {
            Assert.notNull(period, "'period' must not be null");
            if (count < 1 || count > MOST) {
                throw rate("must have a count from 1 to 1,000,000, but its count was " + count);
            }
            if (period.compareTo(SHORTEST) < 0
                    || period.compareTo(LONGEST) > 0
                    || period.getNano() % NANOS_PER_MILLI != 0) {
                throw rate("must have a period from 1 ms to 1 day in whole milliseconds, but its period was "
                        + DurationText.of(period));
            }
            if (burst != null) {
                InvalidOptionException.requireRange("rateBurst", burst, 1, count);
            }
            if (micros(period) < intervals(count, burst)) {
                throw rate("must not permit more than a start per microsecond, but was " + count + " in "
                        + DurationText.of(period));
            }
        }

        /** Creates a rate with the default burst. */
        public Rate(int count, Duration period) {
            this(count, period, null);
        }

        /**
         * Parses a rate, such as {@code 100/1m}: a count, a slash and a period with its unit.
         *
         * @throws InvalidOptionException if the text has another form or a value is out of range
         */
        public static Rate parse(String text) {
            Assert.notNull(text, "'text' must not be null");
            Matcher parts = RATE.matcher(text.trim());
            if (!parts.matches()) {
                throw rate("must be a count and a period, such as 100/1m, but was '" + Printable.of(text.trim()) + "'");
            }
            Duration period;
            try {
                period = DurationText.parse(parts.group(2));
            } catch (IllegalArgumentException e) {
                throw new InvalidOptionException(
                        "rate",
                        "is '" + Printable.of(text.trim()) + "', but '" + Printable.of(parts.group(2)) + "' "
                                + e.getMessage(),
                        e);
            }
            return new Rate(Integer.parseInt(parts.group(1)), period);
        }

        /** The same rate with another burst; null for the default. */
        public Rate withBurst(@Nullable Integer burst) {
            return new Rate(count, period, burst);
        }

        /** The number of deliveries that may start at once: the burst, or the default. */
        public int mostAtOnce() {
            return burst != null ? burst : 1 + count / BURST_PART;
        }

        /** The time between two starts while messages wait, in microseconds. */
        @Internal
        public long intervalMicros() {
            int intervals = intervals(count, burst);
            return (micros(period) + intervals - 1) / intervals;
        }

        /** The number of intervals in a period. */
        private static int intervals(int count, @Nullable Integer burst) {
            // a default burst of b uses b - 1 intervals, so that no period holds more than count starts
            return burst != null ? count : count - count / BURST_PART;
        }

        private static long micros(Duration period) {
            return period.toMillis() * 1000;
        }

        private static InvalidOptionException rate(String problem) {
            return new InvalidOptionException("rate", problem);
        }

        private String registryText() {
            return count + "/" + period.toMillis() + "/" + (burst == null ? "-" : burst);
        }

        private static @Nullable Rate ofRegistryText(String text) {
            if (text.equals("0")) {
                return null;
            }
            String[] parts = text.split("/", -1);
            return new Rate(
                    Integer.parseInt(parts[0]),
                    Duration.ofMillis(Long.parseLong(parts[1])),
                    parts[2].equals("-") ? null : Integer.valueOf(parts[2]));
        }

        /** The text that {@link #parse} reads, such as {@code 100/1m}, without the burst. */
        @Override
        public String toString() {
            return count + "/" + shortText(period);
        }

        private static String shortText(Duration period) {
            long millis = period.toMillis();
            return Stream.of(Unit.values())
                    .filter(unit -> millis % unit.millis == 0)
                    .findFirst()
                    .map(unit -> millis / unit.millis + unit.name().toLowerCase(Locale.ROOT))
                    .orElseThrow();
        }

        /** Units of periods, the longest first. */
        private enum Unit {
            D(86_400_000),
            H(3_600_000),
            M(60_000),
            S(1000),
            MS(1);

            private final long millis;

            Unit(long millis) {
                this.millis = millis;
            }
        }
    }

    /**
     * Creates limits from separate values, as properties and parameters give them.
     *
     * @param rate as {@link Rate#parse} reads it
     * @throws InvalidOptionException if a value is out of range, or if there is a burst without a rate
     */
    @Internal
    public static TopicLimits of(
            @Nullable Integer maxConcurrent,
            @Nullable Integer maxConcurrentPerKey,
            @Nullable String rate,
            @Nullable Integer rateBurst,
            @Nullable Long maxMessages) {
        InvalidOptionException.require(
                rate != null || rateBurst == null, "rateBurst", "must not be set without a rate");
        return new TopicLimits(
                maxConcurrent,
                maxConcurrentPerKey,
                rate == null ? null : Rate.parse(rate).withBurst(rateBurst),
                maxMessages);
    }

    /** Whether there is no limit. */
    public boolean isNone() {
        return equals(NONE);
    }

    /**
     * The form in the registry of topics: {@code 3 100/60000/- 1000000}, with 0 for no limit. A per-key limit
     * follows the first number: {@code 3/2}.
     */
    @Internal
    public String text() {
        return orZero(maxConcurrent) + (maxConcurrentPerKey == null ? "" : "/" + maxConcurrentPerKey) + " "
                + (rate == null ? "0" : rate.registryText()) + " " + orZero(maxMessages);
    }

    /**
     * Reads the form in the registry of topics.
     *
     * @throws IllegalArgumentException if the text has another form or a value is out of range
     */
    @Internal
    public static TopicLimits parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("'" + Printable.of(text) + "' are no limits");
        }
        int concurrent = Integer.parseInt(parts.group(1));
        String perKey = parts.group(2);
        long messages = Long.parseLong(parts.group(4));
        return new TopicLimits(
                concurrent == 0 ? null : concurrent,
                perKey == null ? null : Integer.valueOf(perKey),
                Rate.ofRegistryText(parts.group(3)),
                messages == 0 ? null : messages);
    }

    /**
     * The form that scripts read: {@code <most concurrent> <interval in µs> <burst> <most messages>}, with 0 for no limit,
     * such as {@code 3 631579 6 1000000}; then the per-key limit, if there is one; empty if there is no limit.
     */
    @Internal
    public String scriptText() {
        return isNone()
                ? ""
                : orZero(maxConcurrent) + " " + (rate == null ? "0 0" : rate.intervalMicros() + " " + rate.mostAtOnce())
                        + " " + orZero(maxMessages) + (maxConcurrentPerKey == null ? "" : " " + maxConcurrentPerKey);
    }

    private static String orZero(@Nullable Number limit) {
        return limit == null ? "0" : limit.toString();
    }

    /** Describes the limits, such as {@code at most 3 at a time, 100/1m, at most 1000000 messages}. */
    @Override
    public String toString() {
        if (isNone()) {
            return "none";
        }
        return Stream.of(
                        maxConcurrent == null ? "" : "at most " + maxConcurrent + " at a time",
                        maxConcurrentPerKey == null ? "" : "at most " + maxConcurrentPerKey + " at a time per key",
                        rate == null
                                ? ""
                                : rate + (rate.burst() == null ? "" : " in bursts of at most " + rate.burst()),
                        maxMessages == null
                                ? ""
                                : "at most " + maxMessages + (maxMessages == 1 ? " message" : " messages"))
                .filter(part -> !part.isEmpty())
                .reduce((one, other) -> one + ", " + other)
                .orElseThrow();
    }
}
