package io.delayqueue.admin;

import io.delayqueue.Internal;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How many handlers a topic needs so that no message starts later than agreed. Times are those of Redis' clock.
 *
 * @param at time of the count of messages; null before the first one
 * @param required the number that is needed now or within the next five minutes; null while the mean handling time is unknown, and
 *     before the first count
 * @param peak the largest number that is needed within a day; null if {@code required} is
 * @param peakAt when it is needed; null if {@code required} is
 * @param present maximum number of handlers of the running listeners, over all nodes
 * @param mean mean handling time of the attempts of the last minute in which there were some, over all nodes, at least 1 ms;
 *     null if it is unknown
 * @param maxLateness the agreed lateness
 * @param emptyAt when no due message waits any more at the rate of the topic; null if none waits, or if there is no rate
 * @param withoutSchedules whether later occurrences of schedules are missing: they have not been read yet, or are too many
 */
@Internal
public record HandlerForecast(
        @Nullable Instant at,
        @Nullable Integer required,
        @Nullable Integer peak,
        @Nullable Instant peakAt,
        int present,
        @Nullable Duration mean,
        Duration maxLateness,
        @Nullable Instant emptyAt,
        boolean withoutSchedules) {}
