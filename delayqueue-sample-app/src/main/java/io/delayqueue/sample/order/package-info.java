/**
 * Orders and the delayed message that cancels unpaid orders.
 *
 * <p>The events {@code OrderPaid} and {@code OrderDelivered} notify other features inside the transaction that changes
 * the order. Read next: {@code UnpaidOrders}.
 */
@NullMarked
package io.delayqueue.sample.order;

import org.jspecify.annotations.NullMarked;
