package io.delayqueue.admin;

import io.delayqueue.message.DurationText;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.Names;
import io.delayqueue.message.Printable;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A request to act on many messages or dead letters of a topic, or at a later time. Immutable.
 *
 * @param action what to do
 * @param topic the topic
 * @param filter the dead letters to replay or purge
 * @param delay delay of replayed messages, zero to the maximum delay of sends, counted from the replay of each
 * @param perSecond maximum number of messages per second, 1 to 100,000; 0 for no limit
 * @param target the topic to which messages are moved; null for other actions, and in a job that does not show it
 * @param startAt when to start, by Redis' clock, between 2000 and 9999, checked when the job is requested; null to start
 *     at once
 * @param by name of the user who requests it, for the audit log; empty if unknown
 */
public record JobRequest(
        JobAction action,
        String topic,
        DeadLetterFilter filter,
        Duration delay,
        int perSecond,
        @Nullable String target,
        @Nullable Instant startAt,
        String by) {

    /** Greatest value of {@code perSecond}. */
    public static final int MAX_PER_SECOND = 100_000;

    /**
     * Checks the request.
     *
     * @throws IllegalArgumentException if an option is out of range or does not belong to the action
     */
    public JobRequest {
        Names.checkTopic(topic);
        InvalidOptionException.require(
                !delay.isNegative(), "delay", "must not be negative, but was " + DurationText.of(delay));
        InvalidOptionException.require(action == JobAction.REPLAY || delay.isZero(), "delay", only("replay", action));
        InvalidOptionException.require(
                action.isOnDeadLetters() || filter.equals(DeadLetterFilter.ALL),
                "filter",
                "(cause, exceptionType, shape, from, until) " + only("replay or purge", action));
        InvalidOptionException.requireRange("perSecond", perSecond, 0, MAX_PER_SECOND);
        InvalidOptionException.require(action == JobAction.MOVE || target == null, "target", only("move", action));
        if (target != null) {
            Names.checkTopic(target);
            InvalidOptionException.require(
                    !target.equals(topic), "target", "must be another topic, but was " + Printable.of(target));
        }
    }

    private static String only(String permitted, JobAction action) {
        return "is permitted for the action " + permitted + " only, but the action is "
                + action.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Creates a request for all messages or all dead letters of a topic, or for the topic itself. It starts at once.
     *
     * @param action any but {@link JobAction#MOVE}
     */
    public static JobRequest of(JobAction action, String topic) {
        return new JobRequest(action, topic, DeadLetterFilter.ALL, Duration.ZERO, 0, null, null, "");
    }

    /** Creates a request to move all scheduled and ready messages of a topic to another one. */
    public static JobRequest move(String topic, String target) {
        return new JobRequest(JobAction.MOVE, topic, DeadLetterFilter.ALL, Duration.ZERO, 0, target, null, "");
    }

    /** The same for the dead letters that match a filter. */
    public JobRequest filter(DeadLetterFilter filter) {
        return new JobRequest(action, topic, filter, delay, perSecond, target, startAt, by);
    }

    /** The same with a delay of replayed messages. */
    public JobRequest delay(Duration delay) {
        return new JobRequest(action, topic, filter, delay, perSecond, target, startAt, by);
    }

    /** The same with a maximum rate, see {@code perSecond}. */
    public JobRequest perSecond(int perSecond) {
        return new JobRequest(action, topic, filter, delay, perSecond, target, startAt, by);
    }

    /** The same with a start time. */
    public JobRequest startAt(@Nullable Instant startAt) {
        return new JobRequest(action, topic, filter, delay, perSecond, target, startAt, by);
    }

    /** The same with the name of the user who requests it. */
    public JobRequest by(String by) {
        return new JobRequest(action, topic, filter, delay, perSecond, target, startAt, by);
    }
}
