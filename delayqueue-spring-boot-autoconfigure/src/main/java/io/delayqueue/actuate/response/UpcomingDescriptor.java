package io.delayqueue.actuate.response;

import io.delayqueue.admin.Upcoming;
import java.time.Instant;
import java.util.List;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The numbers of messages that become due, by time.
 *
 * @param from the start of the first bucket by Redis' clock
 * @param widthMillis the width of a bucket
 * @param overdue the number of messages that are due before the first bucket
 * @param counts the number of messages in each bucket
 * @param later the number of messages that are due after the last bucket
 */
public record UpcomingDescriptor(Instant from, long widthMillis, long overdue, List<Long> counts, long later)
        implements OperationResponseBody {

    /** Creates the descriptor. */
    public static UpcomingDescriptor of(Upcoming upcoming) {
        return new UpcomingDescriptor(
                upcoming.from(), upcoming.width().toMillis(), upcoming.overdue(), upcoming.counts(), upcoming.later());
    }
}
