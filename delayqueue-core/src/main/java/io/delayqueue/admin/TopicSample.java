package io.delayqueue.admin;

import io.delayqueue.Internal;
import java.time.Instant;

/**
 * The numbers of messages of a topic at a time.
 *
 * @param at time of the sample, by this process' clock
 * @param counts the numbers
 */
@Internal
public record TopicSample(Instant at, TopicCounts counts) {}
