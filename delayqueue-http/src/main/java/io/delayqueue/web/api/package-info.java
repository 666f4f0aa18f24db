/**
 * The HTTP API of the queue, on Spring MVC. Controllers accept and return records; other classes handle JSON, error
 * responses and the encoding of names in paths. The application's settings for its own controllers (message converters,
 * field naming, body advices) do not apply.
 *
 * <p>{@code request} and {@code response} contain the bodies, {@code json}
 * the JSON mapping. Read next: {@link io.delayqueue.web.api.MessagesController}, then
 * {@link io.delayqueue.web.api.Problems} and ADR 18 on receipts and idempotency keys.
 */
@Internal
@NullMarked
package io.delayqueue.web.api;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
