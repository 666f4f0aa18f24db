package io.delayqueue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Numbers of scheduled messages by due time.
 *
 * @param from time of the count, by Redis' clock
 * @param width length of each bucket, in whole milliseconds
 * @param overdue messages due at {@code from} or before
 * @param counts messages due after {@code from}, by bucket; a due time between two buckets belongs to the earlier one
 * @param later messages due after the last bucket
 */
public record Upcoming(Instant from, Duration width, long overdue, List<Long> counts, long later) {}
