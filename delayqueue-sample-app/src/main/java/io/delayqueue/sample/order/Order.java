package io.delayqueue.sample.order;

import java.math.BigDecimal;
import java.time.Instant;

/**
 * An order.
 *
 * @param id a random id, so that messages of an earlier database never refer to this order
 * @param item the item
 * @param amount the price
 * @param status the status
 * @param createdAt the time of the order
 * @param cancelAt the time at which the order is cancelled unless it is paid
 */
public record Order(
        String id, String item, BigDecimal amount, OrderStatus status, Instant createdAt, Instant cancelAt) {}
