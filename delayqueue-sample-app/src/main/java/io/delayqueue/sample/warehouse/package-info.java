/**
 * Parcels for paid orders: due messages are forwarded to the queue of a warehouse on a JMS broker. Enabled by the
 * profile {@code forward}.
 *
 * <p>Read next: {@code Parcels}, then {@code application-forward.yaml}.
 */
@NullMarked
package io.delayqueue.sample.warehouse;

import org.jspecify.annotations.NullMarked;
