package io.delayqueue.sample.text;

/**
 * The text message and the payload of its message in the queue.
 *
 * @param orderId the delivered order
 * @param text the text
 */
record TextMessage(String orderId, String text) {}
