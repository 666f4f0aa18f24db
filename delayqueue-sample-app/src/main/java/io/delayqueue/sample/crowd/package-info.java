/**
 * Customers who come by themselves, so that the dashboard and the meters have something to show.
 *
 * <p>What a customer does later is a delayed message too. Read {@code Crowd}.
 */
@NullMarked
package io.delayqueue.sample.crowd;

import org.jspecify.annotations.NullMarked;
