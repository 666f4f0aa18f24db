package io.delayqueue.sample.text;

/**
 * A text message to a customer, and the payload of its message in the queue.
 *
 * @param orderId the delivered order
 * @param text the text
 */
record TextMessage(String orderId, String text) {}
