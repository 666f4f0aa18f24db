package io.delayqueue.sample.order;

/**
 * An order is being delivered. Published inside the transaction that stores it.
 *
 * @param order the order, delivered
 */
public record OrderDelivered(Order order) {}
