/**
 * Tells the merchant that an order is paid, again and again by a list of intervals, until the merchant has taken it or
 * the list is at its end; then it is a dead letter, which a person may replay.
 *
 * <p>{@code Merchant} stands for somebody else's server. Read next: {@code PaymentNotices}.
 */
@NullMarked
package io.delayqueue.sample.notice;

import org.jspecify.annotations.NullMarked;
