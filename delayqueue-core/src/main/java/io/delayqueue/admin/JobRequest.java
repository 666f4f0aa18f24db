package io.delayqueue.admin;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.InvalidOptionException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A request to act on many messages or dead letters of a topic, or at a later time. Immutable.
 *
 * @param action what to do
 * @param topic the topic
 * @param filter the dead letters to replay or purge
 * @param delay delay of replayed messages, zero or more, counted from the replay of each
 * @param perSecond maximum number of messages per second, 1 to 100,000; 0 for no limit
 * @param target the topic to which messages are moved; null for other actions
 * @param startAt when to start, by Redis' clock; null for at once
 * @param by who requests it, for the audit log
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
        DelayMessage.checkTopic(topic);
        InvalidOptionException.require(!delay.isNegative(), "delay", "must not be negative, but was " + delay);
        InvalidOptionException.require(
                action == JobAction.REPLAY || delay.isZero(), "delay", "is for " + JobAction.REPLAY + " only");
        InvalidOptionException.require(
                action.isOnDeadLetters() || filter.equals(DeadLetterFilter.ALL), "filter", "is for dead letters only");
        InvalidOptionException.requireRange("perSecond", perSecond, 0, MAX_PER_SECOND);
        InvalidOptionException.require(
                (action == JobAction.MOVE) == (target != null),
                "target",
                action == JobAction.MOVE ? "is missing" : "is for " + JobAction.MOVE + " only");
        if (target != null) {
            DelayMessage.checkTopic(target);
            InvalidOptionException.require(!target.equals(topic), "target", "must be another topic");
        }
    }

    /**
     * Creates a request that concerns all messages or all dead letters of a topic and starts at once.
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

    /** The same with a selection of dead letters. */
    public JobRequest filter(DeadLetterFilter filter) {
        return new JobRequest(action, topic, filter, delay, perSecond, target, startAt, by);
    }

    /** The same with a delay of replayed messages. */
    public JobRequest delay(Duration delay) {
        return new JobRequest(action, topic, filter, delay, perSecond, target, startAt, by);
    }

    /** The same with a limited rate. */
    public JobRequest perSecond(int perSecond) {
        return new JobRequest(action, topic, filter, delay, perSecond, target, startAt, by);
    }

    /** The same with a start time. */
    public JobRequest startAt(@Nullable Instant startAt) {
        return new JobRequest(action, topic, filter, delay, perSecond, target, startAt, by);
    }

    /** The same with the name of who requests it. */
    public JobRequest by(String by) {
        return new JobRequest(action, topic, filter, delay, perSecond, target, startAt, by);
    }
}
