/**
 * Listener methods: the annotations {@link io.delayqueue.annotation.DelayListener} and {@link
 * io.delayqueue.annotation.DeadLetterListener}, the post-processor that finds them, and endpoint, registrar,
 * container factory and registry.
 *
 * <p>{@code ListenerMethods} turns methods into handlers; {@code container} runs the listeners.
 */
@NullMarked
package io.delayqueue.annotation;

import org.jspecify.annotations.NullMarked;
