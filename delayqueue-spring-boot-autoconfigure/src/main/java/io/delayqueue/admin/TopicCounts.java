package io.delayqueue.admin;

import java.time.Duration;

/**
 * How many messages of a topic stand where.
 *
 * @param scheduled not yet due
 * @param ready due and not claimed
 * @param leased being handled, or claimed for it
 * @param dead dead letters
 * @param lag for how long the oldest due message has been waiting; zero when none is
 */
public record TopicCounts(long scheduled, long ready, long leased, long dead, Duration lag) {}
