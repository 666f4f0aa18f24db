/**
 * The facade for operating the queue: what stands where, what to do with dead letters, which topics are paused. The Java API
 * of whatever shows or changes the queue from outside.
 *
 * <p>Row 4: used by the edges and by applications. Read next: {@link io.delayqueue.admin.DelayQueueAdmin}, which
 * changes, and {@link io.delayqueue.admin.DelayQueueInspector}, which only looks.
 */
@NullMarked
package io.delayqueue.admin;

import org.jspecify.annotations.NullMarked;
