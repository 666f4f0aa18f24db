/**
 * Receiving messages on request: a receiver requests due messages, receives them under a lease, and settles them.
 *
 * <p>A topic with waiting receivers has one {@link io.delayqueue.template.receive.WaitingReceivers}. It polls
 * for the first of them and sleeps until a message is due. A shard has one
 * {@link io.delayqueue.template.receive.ReceivePoller}, which sends the claims and all settlements through the shard's
 * session. {@link io.delayqueue.template.receive.Leases} settles deliveries that another process may have received.
 * None of these classes owns a thread, and a topic without waiting receivers has no task.
 *
 * <p>The package uses {@code template} only for its exceptions, and does not use the engine, {@code container}. Used by
 * applications and the HTTP interfaces. Read next: {@link io.delayqueue.template.receive.DelayQueueReceiver}.
 */
@NullMarked
package io.delayqueue.template.receive;

import org.jspecify.annotations.NullMarked;
