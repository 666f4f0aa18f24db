/**
 * Idempotency keys, by which repeats of a request are recognised. {@code reserve.lua} is a resource of this package.
 *
 * <p>A key is reserved before the request sends messages. The reservation has the ids and nonces of the messages, so
 * that repeats of the request on any node send the same messages for a day. The send script stores the outcome of each
 * message in the shard of the message.
 *
 * <p>Used by {@code web.api}. Read next: {@link io.delayqueue.store.idempotency.IdempotencyKeys}, then {@code
 * send.lua}.
 */
@Internal
@NullMarked
package io.delayqueue.store.idempotency;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
