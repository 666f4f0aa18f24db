package io.delayqueue.sample.order;

import java.math.BigDecimal;
import java.time.Instant;

/**
 * An order.
 *
 * @param id random, so that no message of an earlier database is ever taken for this order's
 * @param item what is ordered
 * @param amount what it costs
 * @param status where it stands
 * @param createdAt when it was placed
 * @param cancelAt when it is cancelled unless it is paid
 */
public record Order(
        String id, String item, BigDecimal amount, OrderStatus status, Instant createdAt, Instant cancelAt) {}
