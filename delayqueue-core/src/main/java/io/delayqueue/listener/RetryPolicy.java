package io.delayqueue.listener;

/**
 * Decides what follows a failed attempt. The engine does not call it after the last permitted attempt or for an
 * exception that is never retried. Implementations must be thread-safe. If it throws, the engine logs the exception
 * and retries after one minute.
 */
@FunctionalInterface
public interface RetryPolicy {

    /**
     * Decides what follows.
     *
     * @param failed the attempt and its failure
     * @return a retry or a dead letter
     */
    RetryDecision decide(FailedAttempt failed);
}
