package io.delayqueue.sample.notice;

import java.math.BigDecimal;

/**
 * The notice to the merchant and the payload of its message.
 *
 * @param orderId the order
 * @param item the item
 * @param amount the paid amount
 */
record PaymentNotice(String orderId, String item, BigDecimal amount) {}
