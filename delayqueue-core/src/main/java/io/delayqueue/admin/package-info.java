/**
 * The Java API for operating the queue: status of topics and nodes, messages, dead letters and pauses.
 *
 * <p>Used by the interfaces of the queue and by applications. Read next: {@link
 * io.delayqueue.admin.DelayQueueAdmin}, which changes the queue, and {@link io.delayqueue.admin.DelayQueueInspector},
 * which only reads.
 */
@NullMarked
package io.delayqueue.admin;

import org.jspecify.annotations.NullMarked;
