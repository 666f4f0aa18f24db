/**
 * One consumer of one shard, from the step that claims to the answer that settles.
 *
 * <p>{@link io.delayqueue.container.delivery.ShardPoller} is the step; {@code Lookout} knows when to look,
 * {@code LeaseKeeper} what to renew, {@code SettleBuffer} what to settle, {@code DeliveryQueue} what waits for
 * the workers, and
 * {@link io.delayqueue.container.delivery.DeliveryPipeline} what happens to it. Seen by {@code container} only.
 */
@NullMarked
package io.delayqueue.container.delivery;

import org.jspecify.annotations.NullMarked;
