/**
 * The engine: claims, hands over to handlers, settles. The only package that owns threads.
 *
 * <p>A {@link io.delayqueue.container.delivery.ShardPoller} is one consumer of one shard. Its step is one round trip: it settles
 * what was finished, renews what is held, claims what is due, and says when it wants to be called next. Deliveries go
 * through the stages of {@link io.delayqueue.container.delivery.DeliveryPipeline}: convert, intercept, handle, decide, settle.
 *
 * <p>Row 3. It meets {@code template} only in the rows below. Read next: {@link io.delayqueue.container.DelayQueueEngine}.
 */
@NullMarked
package io.delayqueue.container;

import org.jspecify.annotations.NullMarked;
