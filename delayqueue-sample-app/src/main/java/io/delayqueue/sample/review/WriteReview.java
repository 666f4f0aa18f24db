package io.delayqueue.sample.review;

/**
 * The delayed message.
 *
 * @param orderId the order to review unless the customer has reviewed it
 */
record WriteReview(String orderId) {}
