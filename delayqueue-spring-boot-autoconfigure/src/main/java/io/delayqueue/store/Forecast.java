package io.delayqueue.store;

import java.time.Instant;
import java.util.List;

/**
 * How many messages of a shard will be due when.
 *
 * @param now Redis' clock in whole milliseconds
 * @param overdue due now or before
 * @param counts due after now, in each bucket
 * @param later due after the last bucket
 */
public record Forecast(Instant now, long overdue, List<Long> counts, long later) {}
