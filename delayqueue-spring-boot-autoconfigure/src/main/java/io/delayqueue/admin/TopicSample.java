package io.delayqueue.admin;

import java.time.Instant;

/**
 * A topic at a moment.
 *
 * @param at when it was sampled, by this process' clock
 */
public record TopicSample(Instant at, TopicStatus status) {}
