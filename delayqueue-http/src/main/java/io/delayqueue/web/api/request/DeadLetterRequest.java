package io.delayqueue.web.api.request;

import org.jspecify.annotations.Nullable;

/**
 * Dead-letters a message.
 *
 * @param reason stored with the dead letter; truncated to 500 characters
 */
public record DeadLetterRequest(@Nullable String reason) implements ApiRequest {}
