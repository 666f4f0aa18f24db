package io.delayqueue.actuate;

import io.delayqueue.admin.TopicSample;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding;
import io.delayqueue.coordination.LeaseHolder;
import io.delayqueue.listener.ListenerStatus.Attempts;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The status of a topic, what to look at, and its history.
 *
 * @param maxLag the health threshold of the lag; omitted if none is set
 * @param findings what to look at, the most urgent first
 * @param attempts the attempts of the last minute over all nodes; omitted if there were none
 * @param holders the holders of leases of receivers that are 30 s old or older, the oldest lease first
 * @param sent number of messages that all processes sent within the minute before the last sample
 * @param handled number of attempts that ended within the minute before the last sample, over all processes
 * @param history the last samples that have counts, oldest first
 */
public record TopicDetails(
        TopicStatus status,
        @Nullable Duration maxLag,
        List<Finding> findings,
        @Nullable Attempts attempts,
        List<LeaseHolder> holders,
        long sent,
        long handled,
        List<TopicSample> history) {}
