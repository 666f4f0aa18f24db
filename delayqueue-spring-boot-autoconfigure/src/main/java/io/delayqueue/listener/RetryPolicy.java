package io.delayqueue.listener;

/**
 * Decides what follows a failed attempt. Attempts that are spent, and exceptions that are never retried, are decided
 * before it is asked. Must be thread-safe. What it throws counts as "retry after a minute" and is logged.
 */
@FunctionalInterface
public interface RetryPolicy {

    /** What is to follow. */
    RetryDecision decide(FailedAttempt failed);
}
