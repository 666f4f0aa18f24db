package io.delayqueue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * When scheduled messages will be due.
 *
 * @param from when it was counted, by Redis' clock
 * @param width of each bucket, in whole milliseconds
 * @param overdue messages due at {@code from} or before
 * @param counts messages that are due after {@code from}, in the first bucket, the second, and so on; one on the border
 *     belongs to the earlier one
 * @param later messages due after the last bucket
 */
public record Upcoming(Instant from, Duration width, long overdue, List<Long> counts, long later) {}
