/**
 * Sending, and operating on one message by its id.
 *
 * <p>Row 3: it meets the engine in rows 0 to 2 only. Pulling lies in {@code template.pull}. Read next:
 * {@link io.delayqueue.template.DelayQueueOperations}, then {@link io.delayqueue.template.DelayQueueTemplate}.
 */
@NullMarked
package io.delayqueue.template;

import org.jspecify.annotations.NullMarked;
