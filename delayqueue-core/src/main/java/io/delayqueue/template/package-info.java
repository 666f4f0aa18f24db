/**
 * Sending messages, and cancelling, rescheduling and finding a message by its id.
 *
 * <p>Row 3 of the layers; independent of the engine. Receiving is in {@code template.receive}. Read next:
 * {@link io.delayqueue.template.DelayQueueOperations}, then {@link io.delayqueue.template.DelayQueueTemplate}.
 */
@NullMarked
package io.delayqueue.template;

import org.jspecify.annotations.NullMarked;
