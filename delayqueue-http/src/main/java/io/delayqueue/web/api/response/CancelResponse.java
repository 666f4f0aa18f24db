package io.delayqueue.web.api.response;

import io.delayqueue.message.CancelOutcome;

/**
 * The result of cancelling a message.
 *
 * @param outcome cancelled, or cancelled_while_handled: a consumer had already claimed the message; it is not retried,
 *     but a running handler is not stopped, and the handler may still start shortly afterwards
 */
public record CancelResponse(CancelOutcome outcome) {}
