package io.delayqueue.admin;

import io.delayqueue.Internal;
import java.time.Instant;

/**
 * The numbers of messages and failures of a topic at a time.
 *
 * @param at time of the sample, by this process' clock
 * @param counts the numbers of messages, without times
 * @param failed number of attempts that failed within the minute before, over all nodes
 */
@Internal
public record TopicSample(Instant at, TopicCounts counts, long failed) {}
