package io.delayqueue.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.Internal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/**
 * The slots of a recurring message: the instants at which its occurrences are due. Slots follow a period or a cron
 * expression. They are strictly increasing and in whole milliseconds. A slot depends on the slot before it, never on
 * the time at which an occurrence ran, so that slots do not drift.
 *
 * <p>When a zone changes its clocks, cron's own rule applies, where Spring skips slots:
 *
 * <ul>
 *   <li>If the hour field begins with {@code *}, slots follow the time that passes. Both passes of a repeated hour
 *       have slots. Local times that the clock skips do not exist and have none.
 *   <li>With any other hour field, each matching local time has one slot. A local time that the clock skips has its
 *       slot right after the gap, and all local times of one gap share that slot. A local time that the clock repeats
 *       has its slot in the first pass only.
 * </ul>
 *
 * <p>A {@linkplain #spread spread} moves all slots of an id later by the {@linkplain #offsetMillis offset} of the id.
 *
 * <p>Two timings are equal if their {@linkplain #text texts} are equal. Instances are immutable and thread-safe.
 */
@Internal
public final class Timing {

    /** Up to this many slots of a cron expression are counted as skipped; more count as this many. */
    public static final int MAX_COUNTED = 10_000;

    /** The longest cron expression, in characters. */
    public static final int MAX_EXPRESSION = 1_000;

    private static final Duration MIN_PERIOD = Duration.ofSeconds(1);
    private static final Duration MAX_PERIOD = Duration.ofHours(87_660);
    private static final Duration MAX_SPREAD = Duration.ofDays(1);

    private static final Pattern BLANKS = Pattern.compile("[\\x00-\\x20]+");
    private static final Pattern EVERY_TEXT = Pattern.compile("every (\\d{1,15}) (\\d{1,15})");
    private static final Pattern CRON_TEXT = Pattern.compile("cron (\\d{1,15}) (\\S+) (.+)");

    private final Rule rule;
    private final Duration spread;

    private Timing(Rule rule, Duration spread) {
        this.rule = rule;
        this.spread = spread;
    }

    /**
     * A timing with a fixed period, whatever the clocks of a zone do.
     *
     * @param period 1 s to 10 years, in whole milliseconds. A year has 8,766 hours.
     * @throws InvalidOptionException if the period is out of range or not in whole milliseconds
     */
    public static Timing every(Duration period) {
        InvalidOptionException.requireRange("period", period, MIN_PERIOD, MAX_PERIOD);
        requireMillis("period", period);
        return new Timing(new Every(period), Duration.ZERO);
    }

    /**
     * A timing that follows a cron expression.
     *
     * @param expression six fields or a macro, as for {@link CronExpression}, with at most {@value #MAX_EXPRESSION}
     *     characters. It does not depend on case. Macros are replaced by their fields and blanks collapse.
     * @param zone the zone whose local time the expression matches
     * @throws InvalidOptionException if the expression is invalid or has no slot after 2025
     */
    public static Timing cron(String expression, ZoneId zone) {
        InvalidOptionException.require(
                expression.length() <= MAX_EXPRESSION,
                "cron",
                "must have at most " + MAX_EXPRESSION + " characters, but has " + expression.length() + ": "
                        + Printable.of(expression));
        Cron cron = new Cron(parsed(expression), zone);
        InvalidOptionException.require(
                cron.find(Cron.VALID_AFTER) != null,
                "cron",
                "must match again and again, but " + Printable.of(cron.expression.toString()) + " has no slot in zone "
                        + zone);
        return new Timing(cron, Duration.ZERO);
    }

    private static CronExpression parsed(String expression) {
        try {
            return CronExpression.parse(
                    BLANKS.matcher(expression.trim()).replaceAll(" ").toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            Throwable reason = e.getCause() == null ? e : e.getCause();
            throw new InvalidOptionException(
                    "cron",
                    "must be a cron expression such as 0 30 2 * * MON-FRI or a macro such as @daily, but was "
                            + Printable.of(expression) + " (" + Printable.of(reason.getMessage()) + ")",
                    e);
        }
    }

    /**
     * Parses the {@link #text} of a timing.
     *
     * @throws InvalidOptionException if the text has another form, a value is invalid or the zone is unknown
     */
    public static Timing parse(String text) {
        Matcher every = EVERY_TEXT.matcher(text);
        if (every.matches()) {
            return every(millis(every.group(1))).spread(millis(every.group(2)));
        }
        Matcher cron = CRON_TEXT.matcher(text);
        InvalidOptionException.require(
                cron.matches(),
                "timing",
                "must be 'every <period in ms> <spread in ms>' or 'cron <spread in ms> <zone> <expression>', but was "
                        + Printable.of(text));
        return cron(cron.group(3), zone(cron.group(2))).spread(millis(cron.group(1)));
    }

    private static Duration millis(String digits) {
        return Duration.ofMillis(Long.parseLong(digits));
    }

    private static ZoneId zone(String id) {
        try {
            return ZoneId.of(id);
        } catch (DateTimeException e) {
            throw new InvalidOptionException(
                    "zone", "must be a time zone such as Europe/Zurich, but was " + Printable.of(id), e);
        }
    }

    private static void requireMillis(String option, Duration value) {
        InvalidOptionException.require(
                value.truncatedTo(ChronoUnit.MILLIS).equals(value),
                option,
                "must be in whole milliseconds, but was " + DurationText.of(value));
    }

    /**
     * Returns a timing that moves the slots of each id later by the {@linkplain #offsetMillis offset} of the id. It
     * replaces the spread of this timing.
     *
     * @param spread 0 to 1 day, in whole milliseconds; less than the period if there is one
     * @throws InvalidOptionException if the spread is out of range or not in whole milliseconds
     */
    public Timing spread(Duration spread) {
        InvalidOptionException.requireRange("spread", spread, Duration.ZERO, MAX_SPREAD);
        requireMillis("spread", spread);
        if (rule instanceof Every every) {
            InvalidOptionException.require(
                    spread.compareTo(every.period) < 0,
                    "spread",
                    "must be from 0 s to less than the period of " + DurationText.of(every.period) + ", but was "
                            + DurationText.of(spread));
        }
        return new Timing(rule, spread);
    }

    /**
     * The offset of an id: the MurmurHash3 (x86, 32 bits, seed 0) of its UTF-8 bytes as an unsigned integer, modulo
     * the spread in milliseconds; 0 without a spread. It never changes, because every process, in any language,
     * computes the same offset.
     */
    public long offsetMillis(String id) {
        return spread.isZero() ? 0 : Integer.toUnsignedLong(Shard.murmur3(id.getBytes(UTF_8))) % spread.toMillis();
    }

    /** Whether slots follow a period, so that the first one depends on when the schedule is stored. */
    public boolean isPeriodic() {
        return rule instanceof Every;
    }

    /**
     * The stored form, one line: {@code every <period in ms> <spread in ms>} or {@code cron <spread in ms> <zone>
     * <expression>}.
     */
    public String text() {
        return rule.text(spread.toMillis());
    }

    /**
     * The first slot of a schedule that is put at {@code now}. With a period it is one period and the offset of the id
     * after {@code now}. With a cron expression it is the first slot after {@code now}; a slot counts if it is after
     * {@code now} only because of the offset.
     *
     * @throws IllegalStateException if the zone has changed its rules so that the cron expression has no slot any more
     */
    public Instant first(String id, Instant now) {
        long offset = offsetMillis(id);
        return rule instanceof Every ? later(rule.after(now), offset) : next(id, now);
    }

    /**
     * The first slot after {@code slot}.
     *
     * @param slot a slot of the id, including its offset
     * @throws IllegalStateException as {@link #first} does
     */
    public Instant next(String id, Instant slot) {
        long offset = offsetMillis(id);
        return later(rule.after(slot.minusMillis(offset)), offset);
    }

    /**
     * The slot of the occurrence after one that has ended.
     *
     * <p>Slots until {@code ended}, inclusive, have passed while the occurrence ran and are skipped. If slots have
     * passed between then and {@code now}, inclusive, the latest of them is next, and runs late; the others are
     * skipped. Otherwise the first slot after {@code now} is next. If the occurrence ended before its slot, the first
     * slot after its slot is next, and none is skipped.
     *
     * @param slot the slot of the occurrence, including the offset of the id
     * @param ended when the occurrence ended
     * @param now the current time; before {@code ended} it counts as {@code ended}
     * @throws IllegalStateException as {@link #first} does
     */
    public Advance after(String id, Instant slot, Instant ended, Instant now) {
        if (slot.isAfter(ended)) {
            return new Advance(next(id, slot), 0);
        }
        long offset = offsetMillis(id);
        Instant until = now.isBefore(ended) ? ended : now;
        Advance advance = rule.advance(slot.minusMillis(offset), ended.minusMillis(offset), until.minusMillis(offset));
        return new Advance(later(advance.slot, offset), advance.skipped);
    }

    private static Instant later(Instant slot, long offset) {
        return slot.plusMillis(offset).truncatedTo(ChronoUnit.MILLIS);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Timing timing && text().equals(timing.text());
    }

    @Override
    public int hashCode() {
        return text().hashCode();
    }

    @Override
    public String toString() {
        return text();
    }

    /**
     * The next occurrence.
     *
     * @param slot when it is due
     * @param skipped number of slots before it that have no occurrence; with a cron expression, {@link #MAX_COUNTED}
     *     if there are more
     */
    public record Advance(Instant slot, long skipped) {}

    /** Slots without the offset of an id. */
    private sealed interface Rule {

        String text(long spread);

        /** The first slot after {@code slot}. */
        Instant after(Instant slot);

        /** As {@link Timing#after}, of an occurrence that ended at or after its slot. */
        Advance advance(Instant slot, Instant ended, Instant now);
    }

    private record Every(Duration period) implements Rule {

        @Override
        public String text(long spread) {
            return "every " + period.toMillis() + " " + spread;
        }

        @Override
        public Instant after(Instant slot) {
            return slot.plus(period);
        }

        @Override
        public Advance advance(Instant slot, Instant ended, Instant now) {
            long passed = Duration.between(slot, now).dividedBy(period);
            Instant latest = slot.plus(period.multipliedBy(passed));
            return latest.isAfter(ended) ? new Advance(latest, passed - 1) : new Advance(latest.plus(period), passed);
        }
    }

    private record Cron(CronExpression expression, ZoneId zone, boolean anyHour) implements Rule {

        /** An expression is valid if it has a slot after this. A later instant adds nothing: calendars recur. */
        private static final Instant VALID_AFTER = Instant.parse("2026-01-01T00:00:00Z");

        /** More than the changes of clocks in 400 years, after which dates fall on the same days of the week. */
        private static final int MAX_CHANGES = 1_000;

        /** More than the days of a month. */
        private static final int MAX_DAYS = 40;

        Cron(CronExpression expression, ZoneId zone) {
            this(expression, zone, expression.toString().split(" ", -1)[2].startsWith("*"));
        }

        @Override
        public String text(long spread) {
            return "cron " + spread + " " + zone + " " + expression;
        }

        @Override
        public Instant after(Instant slot) {
            Instant next = find(slot);
            if (next == null) {
                throw new IllegalStateException(
                        "Cron expression " + expression + " has no slot after " + slot + " in zone " + zone);
            }
            return next;
        }

        private @Nullable Instant find(Instant after) {
            return anyHour ? findByInstant(after) : findByLocalTime(after);
        }

        /** Searches the periods between two changes of the clocks one by one. Local time is unique within each. */
        private @Nullable Instant findByInstant(Instant after) {
            ZoneRules rules = zone.getRules();
            Instant start = after;
            for (int i = 0; i < MAX_CHANGES; i++) {
                ZoneOffset offset = rules.getOffset(start);
                LocalDateTime local = LocalDateTime.ofInstant(start, offset);
                LocalDateTime match = matchAfter(i == 0 ? local : local.minusNanos(1));
                if (match == null) {
                    return null;
                }
                Instant slot = match.toInstant(offset);
                ZoneOffsetTransition end = rules.nextTransition(start);
                if (end == null || slot.isBefore(end.getInstant())) {
                    return slot;
                }
                start = end.getInstant();
            }
            return null;
        }

        /** Skips local times whose first pass is over. */
        private @Nullable Instant findByLocalTime(Instant after) {
            ZoneRules rules = zone.getRules();
            LocalDateTime match = matchAfter(LocalDateTime.ofInstant(after, zone));
            while (match != null) {
                ZoneOffsetTransition change = rules.getTransition(match);
                Instant slot = change != null && change.isGap()
                        ? change.getInstant()
                        : match.toInstant(rules.getOffset(match)); // of the first pass
                if (slot.isAfter(after)) {
                    return slot;
                }
                match = matchAfter(match);
            }
            return null;
        }

        /**
         * The first matching local time after another one. Spring returns an earlier one for days such as {@code L-30},
         * which some months do not have; the search then goes on with the next day.
         */
        private @Nullable LocalDateTime matchAfter(LocalDateTime local) {
            LocalDateTime from = local;
            for (int i = 0; i < MAX_DAYS; i++) {
                LocalDateTime match = expression.next(from);
                if (match == null || match.isAfter(local)) {
                    return match;
                }
                from = from.plusNanos(1)
                        .truncatedTo(ChronoUnit.DAYS)
                        .plusDays(1)
                        .minusNanos(1);
            }
            return null;
        }

        @Override
        public Advance advance(Instant slot, Instant ended, Instant now) {
            Instant latest = slot;
            Instant next = after(slot);
            long passed = 0;
            while (!next.isAfter(now)) {
                if (passed == MAX_COUNTED) {
                    return new Advance(jump(ended, now), MAX_COUNTED);
                }
                passed++;
                latest = next;
                next = after(next);
            }
            return latest.isAfter(ended) ? new Advance(latest, passed - 1) : new Advance(next, passed);
        }

        /** The latest slot after {@code ended} and not after {@code now}, or else the first one after {@code now}. */
        private Instant jump(Instant ended, Instant now) {
            Instant latest = after(ended);
            if (latest.isAfter(now)) {
                return latest;
            }
            // Slots are at full seconds. No slot is between 'high' and 'now'.
            long high = now.getEpochSecond();
            while (latest.getEpochSecond() < high) {
                long middle = Math.floorDiv(latest.getEpochSecond() + high, 2L);
                Instant slot = after(Instant.ofEpochSecond(middle));
                if (slot.isAfter(now)) {
                    high = middle;
                } else {
                    latest = slot;
                }
            }
            return latest;
        }
    }
}
