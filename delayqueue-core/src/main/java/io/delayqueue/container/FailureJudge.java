package io.delayqueue.container;

import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.event.FailureLog;
import io.delayqueue.listener.FailedAttempt;
import io.delayqueue.listener.InvalidDeliveryException;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryDecision;
import io.delayqueue.listener.RetryDecision.RetryAfter;
import io.delayqueue.message.Completions;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Printable;
import io.delayqueue.store.Settle;
import io.delayqueue.store.UnreadableMessageException;
import java.time.Duration;
import java.util.Objects;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Decides how a failed attempt is settled: retry or dead-letter. Thread-safe. */
final class FailureJudge {

    private static final Log log = LogFactory.getLog(FailureJudge.class);
    static final Duration WHEN_POLICY_FAILS = Duration.ofMinutes(1);
    private static final int MAX_CAUSES = 50;

    private final ListenerOptions options;

    FailureJudge(ListenerOptions options) {
        this.options = options;
    }

    Settle judge(ClaimedDelivery delivery, Throwable thrown) {
        Throwable exception = Completions.cause(thrown);
        if (isUnreadable(exception)) {
            return deadLetter(delivery, DeadLetterCause.UNREADABLE, exception);
        }
        if (isNotRetryable(exception)) {
            return deadLetter(delivery, DeadLetterCause.NOT_RETRYABLE, exception);
        }
        int maxAttempts = maxAttempts(delivery);
        if (delivery.attempt() >= maxAttempts) {
            return deadLetter(delivery, DeadLetterCause.ATTEMPTS_SPENT, exception);
        }
        RetryDecision decision = decide(new FailedAttempt(delivery, maxAttempts, exception));
        return decision instanceof RetryAfter retry
                ? new Settle.Retry(delivery.id(), delivery.claim().token(), retry.delay(), Failure.of(exception))
                : deadLetter(delivery, DeadLetterCause.ATTEMPTS_SPENT, exception);
    }

    /** Settlement for a handler's request to retry: dead-letter after the last permitted attempt. */
    Settle onDemand(ClaimedDelivery delivery, Duration delay) {
        Failure failure = new Failure("retry", "requested by the handler");
        String token = delivery.claim().token();
        return delivery.attempt() >= maxAttempts(delivery)
                ? new Settle.ToDeadLetters(delivery.id(), token, DeadLetterCause.ATTEMPTS_SPENT, failure)
                : new Settle.Retry(delivery.id(), token, delay, failure);
    }

    /** Number of permitted attempts: the message's limit, or else the listener's. */
    private int maxAttempts(ClaimedDelivery delivery) {
        Integer own = delivery.open().limits().maxAttempts();
        return own == null ? options.maxAttempts() : own;
    }

    private RetryDecision decide(FailedAttempt failed) {
        try {
            return Objects.requireNonNull(options.retryPolicy().decide(failed), "The retry policy returned null");
        } catch (Throwable e) { // a failing policy must not keep its message from being retried
            FailureLog.log(
                    log::error,
                    "The retry policy failed for message "
                            + Printable.of(failed.delivery().id()) + " of topic "
                            + Printable.of(failed.delivery().topic()) + ". The message is retried in "
                            + WHEN_POLICY_FAILS,
                    e);
            return new RetryAfter(WHEN_POLICY_FAILS);
        }
    }

    private static Settle deadLetter(ClaimedDelivery delivery, DeadLetterCause cause, Throwable exception) {
        return new Settle.ToDeadLetters(delivery.id(), delivery.claim().token(), cause, Failure.withStack(exception));
    }

    private static boolean isUnreadable(Throwable exception) {
        return exception instanceof PayloadConversionException
                || exception instanceof InvalidDeliveryException
                || exception instanceof UnreadableMessageException;
    }

    private boolean isNotRetryable(Throwable exception) {
        Throwable cause = exception;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
            for (Class<? extends Throwable> type : options.notRetryable()) {
                if (type.isInstance(cause)) {
                    return true;
                }
            }
            cause = Failure.causeOf(cause);
        }
        return false;
    }
}
