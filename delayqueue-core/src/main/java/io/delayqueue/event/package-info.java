/**
 * Events for metrics, logs and applications.
 *
 * <p>The engine and the template publish; metrics and applications listen. The package uses {@code message} only. Read
 * next: {@link io.delayqueue.event.DelayQueueEvents}.
 */
@NullMarked
package io.delayqueue.event;

import org.jspecify.annotations.NullMarked;
