/**
 * Listener methods: the annotations {@link io.delayqueue.annotation.DelayListener} and {@link
 * io.delayqueue.annotation.DeadLetterListener}, the post-processor that finds them, and endpoint, registrar,
 * container factory and registry.
 *
 * <p>{@code ListenerMethods} turns methods into handlers; {@code container} runs the listeners.
 *
 * <p>Used by applications and higher layers. Read next:
 * {@link io.delayqueue.annotation.DelayListenerRegistry}, then {@code ListenerMethods}.
 */
@NullMarked
package io.delayqueue.annotation;

import org.jspecify.annotations.NullMarked;
