package io.delayqueue.admin;

import io.delayqueue.Internal;
import java.time.Instant;

/**
 * The status of a topic at a time.
 *
 * @param at time of the sample, by this process' clock
 * @param status the status
 */
@Internal
public record TopicSample(Instant at, TopicStatus status) {}
