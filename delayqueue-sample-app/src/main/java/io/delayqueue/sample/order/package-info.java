/**
 * Orders, and the delayed message that cancels those that are not paid in time.
 *
 * <p>Other features hear of what happens to an order by the events {@code OrderPaid} and {@code OrderDelivered}, inside
 * the transaction that changes it. Read next: {@code UnpaidOrders}.
 */
@NullMarked
package io.delayqueue.sample.order;

import org.jspecify.annotations.NullMarked;
