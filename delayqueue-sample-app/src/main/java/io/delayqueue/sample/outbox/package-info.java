/**
 * What makes a message certain although database and queue are two: a feature stores what is to happen in the same
 * transaction as its reason, sends the message after the commit, and is asked now and then what is overdue.
 *
 * <p>Used by every feature that sends. Read next: {@code StoreThenSend}, then {@code Outbox}.
 */
@NullMarked
package io.delayqueue.sample.outbox;

import org.jspecify.annotations.NullMarked;
