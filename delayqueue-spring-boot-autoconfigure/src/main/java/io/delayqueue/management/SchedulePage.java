package io.delayqueue.management;

import io.delayqueue.admin.DeclaredSchedules.Orphan;
import io.delayqueue.message.Schedule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of schedules.
 *
 * @param schedules by id, each with its next time; may have fewer elements than requested if they are large
 * @param next value of the parameter page for the next page; omitted on the last page
 */
public record SchedulePage(
        List<ScheduleDetails> schedules, @Nullable String next) {

    /**
     * Creates what a caller sees of a page.
     *
     * @param orphans the schedules that no listener declares any more
     */
    public static SchedulePage of(Schedule.Page page, List<Orphan> orphans, Shown shown) {
        return new SchedulePage(
                page.schedules().stream()
                        .map(schedule -> ScheduleDetails.of(schedule, 1, orphans, shown))
                        .toList(),
                page.next());
    }
}
