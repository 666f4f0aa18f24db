/**
 * Sending messages, and cancelling, rescheduling and finding a message by its id.
 *
 * <p>A message has three forms on its way to the arguments of {@code send.lua}:
 *
 * <ol>
 *   <li>{@link io.delayqueue.message.DelayMessage}: what the application sends.
 *   <li>{@link io.delayqueue.template.PendingMessage}: with its id, nonce, payload and result. {@link
 *       io.delayqueue.template.DelayQueueTemplate} checks and serialises the message and passes it through the
 *       interceptors.
 *   <li>{@link io.delayqueue.store.OutgoingMessage}: encoded. A {@link io.delayqueue.template.SendBatcher} stores the
 *       messages of one shard: one that single sends share, or one for each {@code sendAll} and each commit.
 * </ol>
 *
 * <p>A {@link io.delayqueue.template.CommitSender} decides when the messages of a transaction are sent or cancelled, and
 * repeats these operations.
 *
 * <p>The package does not use the engine, {@code container}. Receiving is in {@code template.receive}. Read next:
 * {@link io.delayqueue.template.DelayQueueOperations}, then {@link io.delayqueue.template.DelayQueueTemplate}.
 */
@NullMarked
package io.delayqueue.template;

import org.jspecify.annotations.NullMarked;
