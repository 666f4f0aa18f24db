package io.delayqueue.listener;

/**
 * What a retry policy is asked about.
 *
 * @param delivery the attempt
 * @param maxAttempts how many are permitted
 * @param exception why it failed
 */
public record FailedAttempt(Delivery delivery, int maxAttempts, Throwable exception) {}
