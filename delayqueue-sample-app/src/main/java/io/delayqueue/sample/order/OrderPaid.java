package io.delayqueue.sample.order;

/**
 * An order is being paid. Published inside the transaction that stores it.
 *
 * @param order the order, paid
 */
public record OrderPaid(Order order) {}
