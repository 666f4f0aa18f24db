package io.delayqueue.sample.order;

/** The status of an order. */
public enum OrderStatus {
    /** The order waits for its payment until {@link Order#cancelAt()}. */
    PENDING_PAYMENT,
    /** The order was paid in time. */
    PAID,
    /** The order was cancelled because it was not paid in time. */
    CANCELLED,
    /** The order was delivered. */
    DELIVERED
}
