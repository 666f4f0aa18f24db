/**
 * The health indicator: whether the queue works, and what endangers it.
 *
 * <p>Row 5. Made by the auto-configuration. Read next:
 * {@link io.delayqueue.actuate.health.DelayQueueHealthIndicator}.
 */
@NullMarked
package io.delayqueue.actuate.health;

import org.jspecify.annotations.NullMarked;
