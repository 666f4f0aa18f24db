/**
 * A review for each delivered order: the customer's, or a friendly one some time later.
 *
 * <p>Read next: {@code AutomaticReviews}.
 */
@NullMarked
package io.delayqueue.sample.review;

import org.jspecify.annotations.NullMarked;
