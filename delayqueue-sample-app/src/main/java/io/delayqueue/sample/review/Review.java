package io.delayqueue.sample.review;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The review of a delivered order.
 *
 * @param orderId the order
 * @param reviewAt the time of the automatic review
 * @param stars 1 to 5, or null while there is none
 * @param automatic whether the review was written automatically
 */
public record Review(
        String orderId, Instant reviewAt, @Nullable Integer stars, boolean automatic) {}
