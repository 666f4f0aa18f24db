package io.delayqueue.actuate.answer;

import io.delayqueue.admin.Upcoming;
import java.time.Instant;
import java.util.List;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * How many messages come due when.
 *
 * @param from where the first bucket begins, by Redis' clock
 * @param widthMillis how long a bucket is
 * @param overdue due before that
 * @param counts one for each bucket
 * @param later due after the last bucket
 */
public record UpcomingAnswer(Instant from, long widthMillis, long overdue, List<Long> counts, long later)
        implements OperationResponseBody {

    /** As it was counted. */
    public static UpcomingAnswer of(Upcoming upcoming) {
        return new UpcomingAnswer(
                upcoming.from(), upcoming.width().toMillis(), upcoming.overdue(), upcoming.counts(), upcoming.later());
    }
}
