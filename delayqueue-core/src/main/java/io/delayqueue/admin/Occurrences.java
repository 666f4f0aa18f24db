package io.delayqueue.admin;

import io.delayqueue.message.Schedule;
import io.delayqueue.template.DelayQueueSchedules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The next occurrences of the schedules of a topic.
 *
 * @param times due times in milliseconds since the epoch, in order, by schedule
 * @param complete whether none are missing until the time up to which they were read
 */
record Occurrences(List<long[]> times, boolean complete) {

    static final Occurrences NONE = new Occurrences(List.of(), true);
    static final Occurrences UNKNOWN = new Occurrences(List.of(), false);

    /** Largest number of schedules of a topic that are read. */
    static final int MAX_SCHEDULES = 1_000;

    /** Largest number of occurrences of a topic that are kept, about 1 MB. */
    private static final int MAX_TIMES = 100_000;

    /** Reads the schedules of a topic, at most {@link #MAX_SCHEDULES}, and computes their occurrences. Blocks. */
    static Occurrences read(DelayQueueSchedules schedules, String topic, Duration ahead) {
        List<Schedule.Snapshot> found = new ArrayList<>();
        Schedule.Page page = null;
        do {
            page = schedules.list(topic, page == null ? null : page.next(), DelayQueueSchedules.MAX_LISTED);
            found.addAll(page.schedules());
        } while (page.next() != null && found.size() < MAX_SCHEDULES);
        int most = MAX_TIMES / Math.max(1, found.size());
        List<long[]> times = found.stream()
                .map(schedule -> schedule.next(most, schedule.at().plus(ahead)).stream()
                        .mapToLong(Instant::toEpochMilli)
                        .toArray())
                .toList();
        return new Occurrences(times, page.next() == null && times.stream().allMatch(each -> each.length < most));
    }

    /**
     * Counts occurrences by spans of time. Of each schedule, the first one after the begin is left out: it is stored as a message.
     *
     * @param begins the begin of each span, in milliseconds since the epoch, and the end of the last one
     */
    long[] count(long... begins) {
        long[] counts = new long[begins.length - 1];
        for (long[] each : times) {
            int next = after(each, begins[0]) + 1;
            for (int span = 0; span < counts.length && next < each.length; span++) {
                int end = after(each, begins[span + 1]);
                counts[span] += Math.max(0, end - next);
                next = Math.max(next, end);
            }
        }
        return counts;
    }

    /** The index of the first time after another. */
    private static int after(long[] times, long other) {
        int found = Arrays.binarySearch(times, other);
        return found >= 0 ? found + 1 : -found - 1;
    }
}
