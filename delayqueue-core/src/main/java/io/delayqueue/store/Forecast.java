package io.delayqueue.store;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of scheduled messages of a shard by due time.
 *
 * @param now time of Redis' clock, in whole milliseconds
 * @param overdue number of messages that are due now or earlier
 * @param counts numbers of messages that become due in each bucket, the first of which starts now
 * @param later number of messages that become due after the last bucket
 * @param latest when the last message is due; null if none is due after now
 */
public record Forecast(
        Instant now,
        long overdue,
        List<Long> counts,
        long later,
        @Nullable Instant latest) {}
