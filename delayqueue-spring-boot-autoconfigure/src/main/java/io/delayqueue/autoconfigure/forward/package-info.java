/**
 * Auto-configuration of forwarding, one for each kind of broker.
 *
 * <p>Row 6. {@link io.delayqueue.autoconfigure.forward.ForwardAutoConfiguration} registers a listener for each of
 * {@code delayqueue.forward}; the others say which beans are brokers.
 */
@NullMarked
package io.delayqueue.autoconfigure.forward;

import org.jspecify.annotations.NullMarked;
