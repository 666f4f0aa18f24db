package io.delayqueue.sample.order;

/**
 * Published when an order is paid, inside the transaction that stores this.
 *
 * @param order the paid order
 */
public record OrderPaid(Order order) {}
