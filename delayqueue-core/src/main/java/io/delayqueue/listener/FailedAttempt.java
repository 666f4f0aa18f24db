package io.delayqueue.listener;

/**
 * Input of a retry policy.
 *
 * @param delivery the failed attempt
 * @param maxAttempts maximum number of attempts of the message
 * @param exception the failure
 */
public record FailedAttempt(Delivery delivery, int maxAttempts, Throwable exception) {}
