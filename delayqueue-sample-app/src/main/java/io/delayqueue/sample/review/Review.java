package io.delayqueue.sample.review;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The review of a delivered order.
 *
 * @param orderId the order
 * @param reviewAt when it is written automatically unless the customer has written it
 * @param stars 1 to 5, or null while there is none
 * @param automatic whether the stars are not the customer's
 */
public record Review(
        String orderId, Instant reviewAt, @Nullable Integer stars, boolean automatic) {}
