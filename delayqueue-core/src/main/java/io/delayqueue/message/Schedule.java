package io.delayqueue.message;

import io.delayqueue.Internal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.util.Assert;

/**
 * A message that recurs: its topic and id, its timing, payload and options. Immutable if its payload is.
 *
 * <pre>{@code
 * Schedule.of("invoice", "user-7").cron("0 0 9 * * MON", ZoneId.of("Europe/Paris")).payload(new SendInvoice(7))
 * }</pre>
 *
 * <p>Each occurrence is a message of the topic with the id of the schedule. A timing and a payload are required.
 */
public final class Schedule {

    private final String topic;
    private final String id;
    private final @Nullable Timing timing;
    private final Duration spread;
    private final Consumer<DelayMessage.Builder> options;

    private Schedule(
            String topic, String id, @Nullable Timing timing, Duration spread, Consumer<DelayMessage.Builder> options) {
        this.topic = topic;
        this.id = id;
        this.timing = timing;
        this.spread = spread;
        this.options = options;
    }

    /**
     * Creates a schedule without timing and payload.
     *
     * @param topic 1 to 128 bytes of UTF-8, any characters
     * @param id 1 to 256 bytes of UTF-8, any characters, such as the number of a user
     * @throws IllegalArgumentException if topic or id is blank, too long or contains an unpaired surrogate
     */
    public static Schedule of(String topic, String id) {
        return new Schedule(Names.checkTopic(topic), Names.checkId(id), null, Duration.ZERO, builder -> {});
    }

    /**
     * Lets occurrences be due when the local time of a zone matches a cron expression. At changes of the clock the rules of
     * cron apply, see {@code docs/schedules.md}.
     *
     * @param expression six fields or a macro, as for {@link org.springframework.scheduling.support.CronExpression}
     * @throws InvalidOptionException if the expression is invalid or never matches
     */
    public Schedule cron(String expression, ZoneId zone) {
        Assert.notNull(expression, "'expression' must not be null");
        Assert.notNull(zone, "'zone' must not be null");
        return with(Timing.cron(expression, zone), spread);
    }

    /**
     * Lets occurrences be due in fixed intervals, the first one an interval after the schedule is stored.
     *
     * @param period 1 s to 10 years, in whole milliseconds
     * @throws InvalidOptionException if the period is out of range
     */
    public Schedule every(Duration period) {
        Assert.notNull(period, "'period' must not be null");
        return with(Timing.every(period), spread);
    }

    /**
     * Moves the slots of each id later by a time that its hash determines, so that the occurrences of many schedules are not
     * due at once.
     *
     * @param spread 0 to 1 day, in whole milliseconds; with {@link #every}, less than the period
     * @throws InvalidOptionException if the spread is out of range
     */
    public Schedule spread(Duration spread) {
        Assert.notNull(spread, "'spread' must not be null");
        return with(timing, spread);
    }

    private Schedule with(@Nullable Timing newTiming, Duration newSpread) {
        return new Schedule(topic, id, newTiming == null ? null : newTiming.spread(newSpread), newSpread, options);
    }

    private Schedule with(Consumer<DelayMessage.Builder> option) {
        option.accept(DelayMessage.to(topic));
        return new Schedule(topic, id, timing, spread, options.andThen(option));
    }

    /** Sets the payload, see {@link DelayMessage.Builder#payload(Object)}. */
    public Schedule payload(Object payload) {
        return with(builder -> builder.payload(payload));
    }

    /**
     * Sets the payload and its generic type, see {@link DelayMessage.Builder#payload(Object,
     * ParameterizedTypeReference)}.
     */
    public <T> Schedule payload(T payload, ParameterizedTypeReference<T> type) {
        return with(builder -> builder.payload(payload, type));
    }

    /** Adds a header, or replaces the header of the same name, see {@link DelayMessage.Builder#header}. */
    public Schedule header(String name, String value) {
        return with(builder -> builder.header(name, value));
    }

    /** Adds headers, as {@link #header} does. */
    public Schedule headers(Map<String, String> headers) {
        Assert.notNull(headers, "'headers' must not be null");
        // sorted: a map such as Map.of has another order in each process, which would be another message
        Map<String, String> copy = new TreeMap<>(headers);
        return with(builder -> builder.headers(copy));
    }

    /** Sets the key, see {@link DelayMessage.Builder#key}. */
    public Schedule key(String key) {
        return with(builder -> builder.key(key));
    }

    /** Sets the maximum number of attempts of an occurrence. Overrides the listener's value. */
    public Schedule maxAttempts(int maxAttempts) {
        return with(builder -> builder.maxAttempts(maxAttempts));
    }

    /** Sets how long a delivery is leased before it must be renewed. Overrides the listener's value. */
    public Schedule lease(Duration lease) {
        return with(builder -> builder.lease(lease));
    }

    /**
     * Sets how long after its slot an occurrence may still be claimed. A later claim dead-letters it, and the schedule goes
     * on.
     */
    public Schedule expireAfter(Duration lateness) {
        return with(builder -> builder.expireAfter(lateness));
    }

    /** The topic. */
    public String topic() {
        return topic;
    }

    /** The id. */
    public String id() {
        return id;
    }

    /**
     * The timing.
     *
     * @throws IllegalArgumentException if none is set
     */
    @Internal
    public Timing timing() {
        if (timing == null) {
            throw new IllegalArgumentException("Schedule " + Printable.of(id) + " in topic " + Printable.of(topic)
                    + " has no timing; call cron(...) or every(...)");
        }
        return timing;
    }

    /**
     * The message of each occurrence, without a due time.
     *
     * @throws IllegalArgumentException if there is no payload, or an option is out of its range
     */
    public DelayMessage message() {
        DelayMessage.Builder builder = DelayMessage.to(topic).id(id);
        options.accept(builder);
        return builder.build();
    }

    @Override
    public String toString() {
        return "Schedule[topic=" + Printable.of(topic) + ", id=" + Printable.of(id) + ", timing=" + timing + "]";
    }

    /**
     * What storing a schedule changed.
     *
     * @param outcome what changed
     * @param next the slot of the next occurrence, by Redis' clock; of the current one if it waits. While an occurrence is being
     *     handled or retried, the slot that follows if it ends in time. Null if the schedule is paused
     */
    public record Result(Outcome outcome, @Nullable Instant next) {

        /** What changed. */
        public enum Outcome {
            /** The schedule is new. */
            CREATED,
            /** The same schedule was stored before. */
            UNCHANGED,
            /** The payload or an option is new. The next slot is unchanged. */
            UPDATED,
            /** The timing is new, and maybe the payload or an option. */
            RETIMED
        }
    }

    /**
     * A schedule at the moment it was read.
     *
     * @param topic the topic
     * @param id the id of the schedule, and of each of its occurrences
     * @param at when it was read, by Redis' clock
     * @param timing when occurrences are due: {@code every <period in ms> <spread in ms>} or {@code cron <spread in ms> <zone>
     *     <expression>}
     * @param paused whether it is paused
     * @param skipped number of slots without an occurrence, because an earlier one was handled, or no process consumed the topic
     * @param endedAt when the last occurrence ended, by Redis' clock; null if none has ended
     * @param outcome how the last occurrence ended; null if none has ended
     * @param succeededAt when an occurrence was last acknowledged, by Redis' clock; null if none was
     * @param message the message of the next occurrence; of the one that waits or is being handled, unless another one was put
     *     since
     * @param occurrence the occurrence that waits or is being handled; null if the schedule is paused, and for a moment between
     *     two occurrences
     */
    public record Snapshot(
            String topic,
            String id,
            Instant at,
            String timing,
            boolean paused,
            long skipped,
            @Nullable Instant endedAt,
            @Nullable Ending outcome,
            @Nullable Instant succeededAt,
            Envelope message,
            @Nullable MessageSnapshot occurrence) {

        /**
         * When the next occurrences are due, if each is handled at once. The first is the one that waits; one that is being
         * handled or retried is left out. Empty if the schedule is paused, and without
         * later times if this version cannot compute them.
         *
         * @param count number of times, 1 or more
         */
        public List<Instant> next(int count) {
            return next(count, Instant.MAX);
        }

        /** The same until a time, inclusive. */
        @Internal
        public List<Instant> next(int count, Instant until) {
            Instant slot = message.slot();
            if (paused || slot == null) {
                return List.of();
            }
            List<Instant> times = new ArrayList<>();
            Instant ends = at;
            if (occurrence != null && occurrence.state() != MessageState.LEASED && occurrence.attempts() == 0) {
                times.add(occurrence.dueAt());
                ends = occurrence.dueAt().isAfter(at) ? occurrence.dueAt() : at;
            } else if (occurrence != null && !slot.equals(occurrence.envelope().slot()) && slot.isAfter(at)) {
                times.add(slot); // of another timing that was put since
            }
            try {
                Timing rule = Timing.parse(timing);
                Instant next = slot.isAfter(ends)
                        ? rule.next(id, slot)
                        : rule.after(id, slot, ends, ends).slot();
                while (times.size() < count && !next.isAfter(until)) {
                    times.add(next);
                    next = rule.next(id, next);
                }
            } catch (InvalidOptionException | IllegalStateException e) {
                return times; // of another version, or the zone is unknown here
            }
            return times;
        }

        /**
         * The message that is sent if the schedule is run by hand, without an id and due at once.
         *
         * @throws IllegalStateException if this version cannot read the message
         */
        @Internal
        public DelayMessage once() {
            if (message.slot() == null) {
                throw new IllegalStateException("Schedule " + Printable.of(id) + " in topic " + Printable.of(topic)
                        + " has a format that this version cannot read. It was not run");
            }
            DelayMessage.Builder once =
                    DelayMessage.to(topic).payload(message.payload()).headers(message.headers());
            MessageLimits limits = message.limits();
            set(message.key(), once::key);
            set(limits.maxAttempts(), once::maxAttempts);
            set(limits.lease(), once::lease);
            set(limits.expireAfter(), once::expireAfter);
            return once.build();
        }

        private static <T> void set(@Nullable T value, Consumer<T> option) {
            if (value != null) {
                option.accept(value);
            }
        }

        /** How an occurrence ended. */
        public enum Ending {
            /** It was acknowledged. */
            ACKNOWLEDGED,
            /** It became a dead letter. */
            DEAD_LETTERED,
            /** It was cancelled. */
            CANCELLED,
            /** A call to Redis stopped before this was recorded. */
            UNKNOWN
        }
    }

    /**
     * A part of the schedules of a topic, in the order of the UTF-8 bytes of their ids.
     *
     * @param schedules the schedules
     * @param next the id after which the next part starts; null if this is the last part
     */
    public record Page(List<Snapshot> schedules, @Nullable String next) {}
}
