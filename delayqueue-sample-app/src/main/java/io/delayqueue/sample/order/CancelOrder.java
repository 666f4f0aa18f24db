package io.delayqueue.sample.order;

/**
 * The delayed message. Only the id: by the time it is due, whatever else it said could be wrong.
 *
 * @param orderId the order to cancel, if it isn't paid
 */
record CancelOrder(String orderId) {}
