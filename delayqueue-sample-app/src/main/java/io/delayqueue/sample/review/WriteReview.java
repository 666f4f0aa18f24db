package io.delayqueue.sample.review;

/**
 * The delayed message.
 *
 * @param orderId the order to review, if the customer has not
 */
record WriteReview(String orderId) {}
