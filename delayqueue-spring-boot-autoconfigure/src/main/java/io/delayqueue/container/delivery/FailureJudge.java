package io.delayqueue.container.delivery;

import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.listener.FailedAttempt;
import io.delayqueue.listener.InvalidDeliveryException;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryDecision;
import io.delayqueue.listener.RetryDecision.RetryAfter;
import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Failure;
import io.delayqueue.store.Settle;
import io.delayqueue.store.UnreadableMessageException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Decides what follows a failed attempt: the stage between handling and settling. */
public final class FailureJudge {

    private static final Log log = LogFactory.getLog(FailureJudge.class);
    private static final Duration WHEN_POLICY_FAILS = Duration.ofMinutes(1);
    private static final int MAX_CAUSES = 50;

    private final ListenerOptions options;

    FailureJudge(ListenerOptions options) {
        this.options = options;
    }

    Settle judge(ClaimedDelivery delivery, Throwable thrown) {
        Throwable exception = unwrap(thrown);
        if (isUnreadable(exception)) {
            return bury(delivery, DeathCause.UNREADABLE, exception);
        }
        if (isNotRetryable(exception)) {
            return bury(delivery, DeathCause.NOT_RETRYABLE, exception);
        }
        int maxAttempts = maxAttempts(delivery);
        if (delivery.attempt() >= maxAttempts) {
            return bury(delivery, DeathCause.ATTEMPTS_SPENT, exception);
        }
        RetryDecision decision = decide(new FailedAttempt(delivery, maxAttempts, exception));
        return decision instanceof RetryAfter retry
                ? new Settle.Retry(delivery.id(), delivery.claim().token(), retry.delay(), FailureText.brief(exception))
                : bury(delivery, DeathCause.ATTEMPTS_SPENT, exception);
    }

    /** What a handler's own wish for another attempt amounts to: after the last permitted one, a burial. */
    Settle onDemand(ClaimedDelivery delivery, Duration delay) {
        Failure failure = new Failure("retry", "asked for by the handler");
        String token = delivery.claim().token();
        return delivery.attempt() >= maxAttempts(delivery)
                ? new Settle.Bury(delivery.id(), token, DeathCause.ATTEMPTS_SPENT, failure)
                : new Settle.Retry(delivery.id(), token, delay, failure);
    }

    /** Attempts permitted: the message's own limit before the listener's. */
    private int maxAttempts(ClaimedDelivery delivery) {
        Integer own = delivery.open().limits().maxAttempts();
        return own == null ? options.maxAttempts() : own;
    }

    private RetryDecision decide(FailedAttempt failed) {
        try {
            return Objects.requireNonNull(options.retryPolicy().decide(failed), "The policy decided nothing");
        } catch (RuntimeException | Error e) { // a message must not be stuck because its policy is broken
            log.error(
                    "The retry policy failed for message " + failed.delivery().id() + " of topic "
                            + failed.delivery().topic() + ", which is retried in " + WHEN_POLICY_FAILS,
                    e);
            return new RetryAfter(WHEN_POLICY_FAILS);
        }
    }

    private static Settle bury(ClaimedDelivery delivery, DeathCause cause, Throwable exception) {
        return new Settle.Bury(delivery.id(), delivery.claim().token(), cause, FailureText.full(exception));
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
            cause = cause.getCause();
        }
        return false;
    }

    static Throwable unwrap(Throwable thrown) {
        Throwable exception = thrown;
        while ((exception instanceof CompletionException || exception instanceof ExecutionException)
                && exception.getCause() != null) {
            exception = exception.getCause();
        }
        return exception;
    }
}
