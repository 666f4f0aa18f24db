/**
 * Auto-configuration of forwarding, one class for each kind of broker.
 *
 * <p>{@link io.delayqueue.autoconfigure.forward.ForwardAutoConfiguration} registers a listener for each entry of
 * {@code delayqueue.forward}. The other classes define which beans are brokers.
 */
@NullMarked
package io.delayqueue.autoconfigure.forward;

import org.jspecify.annotations.NullMarked;
