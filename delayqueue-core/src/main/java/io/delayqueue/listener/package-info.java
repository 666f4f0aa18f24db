/**
 * The contract between the engine and handlers: deliveries, their acknowledgement, options of a listener and retry
 * policies. The package {@code container} implements it.
 *
 * <p>The package uses {@code message} only. Used by applications, {@code container} and higher layers. Read next:
 * {@link io.delayqueue.listener.Delivery}, {@link io.delayqueue.listener.RetryPolicy},
 * {@link io.delayqueue.listener.ListenerOptions}.
 */
@NullMarked
package io.delayqueue.listener;

import org.jspecify.annotations.NullMarked;
