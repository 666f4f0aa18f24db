package io.delayqueue.sample.order;

/** Where an order stands. */
public enum OrderStatus {
    /** It waits for its payment, until {@link Order#cancelAt()}. */
    PENDING_PAYMENT,
    /** It was paid in time. */
    PAID,
    /** It was not. */
    CANCELLED,
    /** The customer has it. */
    DELIVERED
}
