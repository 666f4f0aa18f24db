package io.delayqueue.autoconfigure;

import io.delayqueue.Internal;
import java.time.InstantSource;

/**
 * The time of this process as the queue reads it: a bean of its own, so that a clock of the application does not change
 * the queue. Tests replace it.
 *
 * @param source the source of the current time
 */
@Internal
public record QueueClock(InstantSource source) {}
