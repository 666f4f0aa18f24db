/**
 * Metrics with Micrometer.
 *
 * <p>{@link io.delayqueue.metrics.DelayQueueMeters} names all meters.
 * {@link io.delayqueue.event.DelayQueueEvents} update counters and timers. Gauges of the state in Redis are read from
 * samples that the engine takes, so a scrape makes no call to Redis. Only {@code autoconfigure} uses this package.
 */
@NullMarked
package io.delayqueue.metrics;

import org.jspecify.annotations.NullMarked;
