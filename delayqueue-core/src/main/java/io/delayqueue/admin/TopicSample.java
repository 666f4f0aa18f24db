package io.delayqueue.admin;

import io.delayqueue.Internal;
import io.delayqueue.message.TopicCounts;
import java.time.Instant;

/**
 * The numbers of messages and attempts of a topic at a time.
 *
 * @param at time of the sample, by this process' clock
 * @param counts the numbers of messages, without times
 * @param sent number of messages that all processes sent within the minute before
 * @param handled number of attempts of listeners and receivers that ended within the minute before, over all processes
 * @param failed number of attempts of listeners that failed within the minute before, over all nodes
 */
@Internal
public record TopicSample(Instant at, TopicCounts counts, long sent, long handled, long failed) {}
