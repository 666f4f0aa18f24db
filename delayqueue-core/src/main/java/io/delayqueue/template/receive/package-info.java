/**
 * Receiving messages on request: a receiver requests due messages, receives them under a lease, and settles them.
 *
 * <p>A {@code ReceiverTopic} has the receivers that wait for a topic, and a {@code ReceiverShard} for each shard: the
 * {@link io.delayqueue.consume.Demand} of a {@link io.delayqueue.consume.ShardPoller}, which sends the claims and all
 * settlements. The {@code TopicTasks} run the pollers of a topic on the threads that wake them, such as that of a request
 * or that which reads the replies. {@link io.delayqueue.template.receive.Leases} settles deliveries that another process
 * may have received. None of these classes owns a thread, and a topic without receivers has no task.
 *
 * <p>The package uses {@code template} only for its exceptions, and does not use the engine, {@code container}. Used by
 * applications and the HTTP interfaces. Read next: {@link io.delayqueue.template.receive.DelayQueueReceiver}.
 */
@NullMarked
package io.delayqueue.template.receive;

import org.jspecify.annotations.NullMarked;
