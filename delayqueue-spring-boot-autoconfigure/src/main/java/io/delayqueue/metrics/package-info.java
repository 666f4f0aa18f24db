/**
 * What is measured, with Micrometer.
 *
 * <p>Row 5. {@link io.delayqueue.metrics.DelayQueueMeters} names all meters. Those of what happens are moved by
 * {@link io.delayqueue.event.DelayQueueEvents}, those of what stands in Redis by samples that the engine takes, so that
 * a scrape asks nobody. Only {@code autoconfigure} uses this package.
 */
@NullMarked
package io.delayqueue.metrics;

import org.jspecify.annotations.NullMarked;
