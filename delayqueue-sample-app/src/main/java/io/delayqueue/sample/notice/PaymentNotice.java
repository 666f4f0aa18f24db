package io.delayqueue.sample.notice;

import java.math.BigDecimal;

/**
 * What the merchant is told, and the payload of the message that has it told.
 *
 * @param orderId the order
 * @param item what was ordered
 * @param amount what was paid
 */
record PaymentNotice(String orderId, String item, BigDecimal amount) {}
