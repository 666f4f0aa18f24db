/**
 * An order service whose orders are cancelled, announced and reviewed by delayed messages: an example to copy from.
 *
 * <p>One package per feature. Read first {@code order}, whose {@code UnpaidOrders} is everything it takes to cancel what
 * is not paid in time, then {@code notice} (retries, dead letters), {@code review}, and {@code outbox}, which answers
 * what happens when a message could not be sent. {@code journal} and {@code page} are there to watch it,
 * {@code crowd} brings customers when nobody else does.
 */
@NullMarked
package io.delayqueue.sample;

import org.jspecify.annotations.NullMarked;
