/**
 * Parcels for paid orders: what is due goes on to the queue of a warehouse, on a JMS broker. With the profile
 * {@code forward} only.
 *
 * <p>Read next: {@code Parcels}, then {@code application-forward.yaml}.
 */
@NullMarked
package io.delayqueue.sample.warehouse;

import org.jspecify.annotations.NullMarked;
