/**
 * Sending messages, and cancelling, rescheduling and finding a message by its id.
 *
 * <p>{@link io.delayqueue.template.DelayQueueTemplate} prepares a message. From then on it is a
 * {@link io.delayqueue.template.PendingMessage}, which passes through the interceptors and ends with its result. A
 * {@link io.delayqueue.template.SendBatcher} stores the messages of one shard: one that single sends share, or one for
 * each {@code sendAll} and each commit.
 *
 * <p>The package does not use the engine, {@code container}. Receiving is in {@code template.receive}. Read next:
 * {@link io.delayqueue.template.DelayQueueOperations}, then {@link io.delayqueue.template.DelayQueueTemplate}.
 */
@NullMarked
package io.delayqueue.template;

import org.jspecify.annotations.NullMarked;
