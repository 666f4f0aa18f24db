package io.delayqueue.management;

import io.delayqueue.admin.DeclaredSchedules.Orphan;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A schedule: a message that recurs. Times are by Redis' clock.
 *
 * @param topic topic of its occurrences
 * @param id id of the schedule, and of its occurrences
 * @param every its period; omitted if it has a cron expression
 * @param cron its cron expression, or a timing that only a newer version knows; omitted if it has a period
 * @param zone the time zone of the cron expression
 * @param spread the longest time by which its slots are moved later; omitted if they are not
 * @param paused whether it is paused
 * @param next when the next occurrences are due, if each is handled at once; empty if the schedule is paused
 * @param skipped number of slots without an occurrence
 * @param endedAt when the last occurrence ended; omitted if none has ended
 * @param outcome how the last occurrence ended; omitted if none has ended
 * @param succeededAt when an occurrence was last acknowledged; omitted if none was
 * @param orphanedSince when a listener last declared it; omitted if a listener declares it, or it was put by the application,
 *     or the node has no listeners
 * @param occurrence the occurrence that waits or is being handled; omitted if there is none
 * @param key key of its messages; omitted if they have none
 * @param maxAttempts maximum number of attempts of an occurrence; omitted if the listener decides
 * @param lease length of the lease of a delivery; omitted if the listener decides
 * @param expireAfter how long after its slot an occurrence may still be claimed; omitted if always
 * @param headers names and values; omitted if the caller may not see them
 * @param payload stored payload of the next occurrence
 */
public record ScheduleDetails(
        String topic,
        String id,
        @Nullable Duration every,
        @Nullable String cron,
        @Nullable String zone,
        @Nullable Duration spread,
        boolean paused,
        List<Instant> next,
        long skipped,
        @Nullable Instant endedAt,
        Schedule.Snapshot.@Nullable Ending outcome,
        @Nullable Instant succeededAt,
        @Nullable Instant orphanedSince,
        @Nullable Occurrence occurrence,
        @Nullable String key,
        @Nullable Integer maxAttempts,
        @Nullable Duration lease,
        @Nullable Duration expireAfter,
        @Nullable Map<String, String> headers,
        Payload payload) {

    private static final Pattern TIMING = Pattern.compile("every (\\d{1,15}) (\\d{1,15})|cron (\\d{1,15}) (\\S+) (.+)");

    /**
     * An occurrence.
     *
     * @param state scheduled, ready, leased or suspect
     * @param slot when it is due, unless it is rescheduled
     * @param dueAt time of the next delivery; if leased, the due time of the current delivery
     * @param attempts number of deliveries that were settled, and the current one
     * @param lastFailure cause of the last failed attempt; omitted if there was none
     */
    public record Occurrence(
            MessageState state,
            @Nullable Instant slot,
            Instant dueAt,
            int attempts,
            @Nullable String lastFailure) {}

    /**
     * Creates what a caller sees of a schedule.
     *
     * @param count number of next times
     * @param orphans the schedules that no listener declares any more
     */
    public static ScheduleDetails of(Schedule.Snapshot schedule, int count, List<Orphan> orphans, Shown shown) {
        Envelope message = schedule.message();
        MessageLimits limits = message.limits();
        Matcher timing = TIMING.matcher(schedule.timing());
        boolean known = timing.matches();
        boolean periodic = known && timing.group(1) != null;
        Duration spread = known ? Duration.ofMillis(Long.parseLong(timing.group(periodic ? 2 : 3))) : Duration.ZERO;
        return new ScheduleDetails(
                schedule.topic(),
                schedule.id(),
                periodic ? Duration.ofMillis(Long.parseLong(timing.group(1))) : null,
                known ? timing.group(5) : schedule.timing(),
                known ? timing.group(4) : null,
                spread.isZero() ? null : spread,
                schedule.paused(),
                schedule.next(count),
                schedule.skipped(),
                schedule.endedAt(),
                schedule.outcome(),
                schedule.succeededAt(),
                orphans.stream()
                        .filter(orphan -> orphan.topic().equals(schedule.topic())
                                && orphan.id().equals(schedule.id()))
                        .map(Orphan::since)
                        .findFirst()
                        .orElse(null),
                occurrence(schedule.occurrence()),
                message.key(),
                limits.maxAttempts(),
                limits.lease(),
                limits.expireAfter(),
                shown == Shown.SIZE ? null : message.headers(),
                Payload.of(message.payload(), shown));
    }

    private static @Nullable Occurrence occurrence(@Nullable MessageSnapshot message) {
        return message == null
                ? null
                : new Occurrence(
                        message.state(),
                        message.envelope().slot(),
                        message.dueAt(),
                        message.attempts(),
                        message.lastFailure());
    }
}
