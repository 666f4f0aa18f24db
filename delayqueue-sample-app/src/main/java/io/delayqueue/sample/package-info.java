/**
 * The sample application: an order service that uses delayed messages to cancel orders, notify a merchant and write
 * reviews.
 *
 * <p>There is one package per feature. Start with {@code order}: its class {@code UnpaidOrders} cancels orders that are
 * not paid in time, with a message that is stored with the order and handled once. Then read {@code notice} (retries
 * and dead letters) and {@code review}. {@code journal} and {@code page} show what happens. {@code crowd} simulates
 * customers.
 */
@NullMarked
package io.delayqueue.sample;

import org.jspecify.annotations.NullMarked;
