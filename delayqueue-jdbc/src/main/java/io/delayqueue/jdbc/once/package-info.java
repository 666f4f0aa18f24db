/**
 * Idempotent listeners: {@code @DelayListener(once = "true")}.
 *
 * <p>{@link io.delayqueue.jdbc.once.OnceListeners} checks a listener at the start and wraps its handler in an {@code
 * OnceHandler}. For each call the handler begins a transaction, inserts a row for each message, and calls the method. A row
 * that exists means that the message is handled. {@link io.delayqueue.jdbc.once.HandledRetention} removes old rows. Read next:
 * {@code docs/transactions.md}.
 */
@Internal
@NullMarked
package io.delayqueue.jdbc.once;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
