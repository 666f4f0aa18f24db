/**
 * The engine: claims messages, calls handlers and settles deliveries. The only package that owns threads.
 *
 * <p>A {@code ListenerContainer} starts and stops a listener. Its {@code ListenerRun}, from start to stop, has one
 * {@code ListenerShard} for each shard, which is the {@link io.delayqueue.consume.Demand} of a
 * {@link io.delayqueue.consume.ShardPoller}. The {@code OpenDeliveries} of a shard wait for a worker or are handled,
 * until they are settled. {@code Suspects} claims and handles suspects when the shard has the {@code IsolationSlot}.
 * {@code ClaimBudget} limits the claims of all shards of a listener. {@code Workers} run deliveries through the stages
 * of {@code DeliveryPipeline}: convert, intercept, handle, decide, settle.
 *
 * <p>Independent of {@code template}; used by {@code annotation} and higher layers. Read next:
 * {@link io.delayqueue.container.DelayQueueEngine}.
 */
@Internal
@NullMarked
package io.delayqueue.container;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
