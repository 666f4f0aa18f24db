/**
 * Keys by which clients mark the repeats of a request. {@code reserve.lua} lies beside these classes, among the resources.
 *
 * <p>A key is reserved before anything is sent, and says by which ids and nonces its messages go: whoever repeats the
 * request, at the same time or a day later, at this node or another, sends the same ones. What became of each is remembered
 * by the shard that it went to, in the script that stored it.
 *
 * <p>Row 2. Used by {@code web.api}. Read next: {@link io.delayqueue.store.idempotency.IdempotencyKeys}, then {@code
 * send.lua}.
 */
@NullMarked
package io.delayqueue.store.idempotency;

import org.jspecify.annotations.NullMarked;
