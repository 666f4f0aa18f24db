/**
 * The facade for operating the queue: what stands where, and what to do with dead letters. The Java API of whatever shows
 * or changes the queue from outside.
 *
 * <p>Row 4: used by the edges and by applications. Read next: {@link io.delayqueue.admin.DelayQueueAdmin}.
 */
@NullMarked
package io.delayqueue.admin;

import org.jspecify.annotations.NullMarked;
