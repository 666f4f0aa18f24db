/**
 * The engine: claims messages, calls handlers and settles deliveries. The only package that owns threads.
 *
 * <p>A {@code ListenerContainer} runs a listener with one {@code ListenerShard} for each shard. A
 * poller's task is one round trip of its {@link io.delayqueue.store.ShardSession}: it settles handled deliveries,
 * renews leases, claims due messages, and returns the time until the next poll. {@link io.delayqueue.consume.NextPoll} computes that time.
 * {@code DeliveryLeases} renews, extends and settles the deliveries that wait for a worker or are handled, which are its
 * {@code OpenDeliveries}. {@code Suspects} claims and handles suspects when the poller has the {@code IsolationSlot}.
 * {@code ClaimBudget} limits the claims of all pollers of a listener. {@code Workers} run deliveries through the stages
 * of {@code DeliveryPipeline}: convert, intercept, handle, decide, settle.
 *
 * <p>{@code template.receive} has a poller of its own. Deliveries of both are a
 * {@link io.delayqueue.consume.LeasedMessage}, and both plan their polls by a {@link io.delayqueue.consume.NextPoll} and leave
 * to the session the open poll, its repeat, and the pending settlements. They differ in what happens without a reply. A
 * {@code ListenerShard} repeats a poll until Redis replies. A {@code ReceivePoller} tells the receiver if the poll fails;
 * it has no leases to renew, no budget and no workers.
 *
 * <p>Independent of {@code template}; used by {@code annotation} and higher layers. Read next:
 * {@link io.delayqueue.container.DelayQueueEngine}.
 */
@Internal
@NullMarked
package io.delayqueue.container;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
