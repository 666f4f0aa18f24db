package io.delayqueue.sample.review;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

/**
 * The request body of a review.
 *
 * @param stars 1 to 5
 */
record NewReview(
        @NotNull(message = "The field 'stars' is required.")
        @Min(value = 1, message = "The field 'stars' must be from 1 to 5.")
        @Max(value = 5, message = "The field 'stars' must be from 1 to 5.")
        Integer stars) {}
