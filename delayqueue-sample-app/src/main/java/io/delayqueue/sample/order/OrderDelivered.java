package io.delayqueue.sample.order;

/**
 * Published when an order is delivered, inside the transaction that stores this.
 *
 * @param order the delivered order
 */
public record OrderDelivered(Order order) {}
