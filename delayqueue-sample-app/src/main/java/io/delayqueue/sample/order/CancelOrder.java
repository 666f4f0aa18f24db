package io.delayqueue.sample.order;

/**
 * The delayed message. It contains only the id, because other data could be outdated when it is due.
 *
 * @param orderId the order to cancel unless it is paid
 */
record CancelOrder(String orderId) {}
