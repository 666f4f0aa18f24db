/**
 * The sample application: an order service that uses delayed messages to cancel orders, notify a merchant, write reviews
 * and send text messages.
 *
 * <p>There is one package per feature. Start with {@code order}: its class {@code UnpaidOrders} cancels orders that are
 * not paid in time, with a message that is stored with the order and handled once. Then read {@code notice} (retries
 * and dead letters), {@code review} and {@code text} (a provider that limits the rate). {@code journal} and {@code page}
 * show what happens. {@code crowd} simulates customers.
 */
@NullMarked
package io.delayqueue.sample;

import org.jspecify.annotations.NullMarked;
