/**
 * The health indicator of the queue.
 *
 * <p>Read next: {@link io.delayqueue.actuate.health.DelayQueueHealthIndicator}.
 */
@Internal
@NullMarked
package io.delayqueue.actuate.health;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
