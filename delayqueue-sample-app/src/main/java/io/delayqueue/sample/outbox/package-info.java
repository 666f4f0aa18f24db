/**
 * An outbox, which guarantees that messages are sent although database and queue have no common transaction. A feature
 * stores its pending work in the transaction that causes it and sends the message after the commit. A periodic task
 * sends the messages of overdue work again.
 *
 * <p>Used by every feature that sends. Read next: {@code StoreThenSend}, then {@code Outbox}.
 */
@NullMarked
package io.delayqueue.sample.outbox;

import org.jspecify.annotations.NullMarked;
