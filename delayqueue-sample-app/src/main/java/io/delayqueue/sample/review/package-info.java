/**
 * A review of each delivered order, written by the customer or, after some time, automatically.
 *
 * <p>Read next: {@code AutomaticReviews}.
 */
@NullMarked
package io.delayqueue.sample.review;

import org.jspecify.annotations.NullMarked;
