/**
 * Notifies the merchant that an order is paid. Failed attempts are retried with a list of delays. After the last one,
 * the message becomes a dead letter, which a user may replay.
 *
 * <p>{@code Merchant} simulates an external server. Read next: {@code PaymentNotices}.
 */
@NullMarked
package io.delayqueue.sample.notice;

import org.jspecify.annotations.NullMarked;
