/**
 * What a handler may use, and what decides about its failures: the contract between the engine and whoever handles
 * messages. What runs it lies in {@code container}.
 *
 * <p>Row 1. Read next: {@link io.delayqueue.listener.Delivery}, {@link io.delayqueue.listener.RetryPolicy},
 * {@link io.delayqueue.listener.ListenerOptions}.
 */
@NullMarked
package io.delayqueue.listener;

import org.jspecify.annotations.NullMarked;
