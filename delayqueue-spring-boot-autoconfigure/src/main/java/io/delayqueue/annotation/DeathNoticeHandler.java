package io.delayqueue.annotation;

import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.event.EventBus;
import io.delayqueue.listener.DeadLetterHandler;
import io.delayqueue.listener.DeadLetterSource;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.listener.FailedAttempt;
import io.delayqueue.listener.InvalidDeliveryException;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryDecision.GiveUp;
import io.delayqueue.message.DeadLetter;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Turns notices of deaths into letters, and the last failure into a fact instead of another letter. */
final class DeathNoticeHandler implements DeliveryHandler {

    private static final Log log = LogFactory.getLog(DeathNoticeHandler.class);
    private static final int MAX_CAUSES = 50;

    private final DeadLetterHandler handler;
    private final DeadLetterSource letters;
    private final ListenerOptions options;
    private final EventBus events;

    DeathNoticeHandler(DeadLetterHandler handler, DeadLetterSource letters, ListenerOptions options, EventBus events) {
        this.handler = handler;
        this.letters = letters;
        this.options = options;
        this.events = events;
    }

    @Override
    public @Nullable CompletionStage<?> handle(List<Delivery> deliveries) throws Exception {
        Delivery notice = deliveries.get(0);
        try {
            Optional<DeadLetter> letter = letters.find(notice.topic(), notice.id());
            CompletionStage<?> stage = letter.isEmpty() ? null : handler.handle(letter.get(), notice);
            return stage == null
                    ? null
                    : stage.handle((result, failure) -> failure).thenCompose(f -> end(notice, f));
        } catch (Exception e) {
            if (!isLast(notice, e)) {
                throw e;
            }
            drop(notice, e);
            return null;
        }
    }

    private CompletionStage<?> end(Delivery notice, @Nullable Throwable failure) {
        if (failure == null) {
            return CompletableFuture.completedStage(null);
        }
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (!isLast(notice, cause)) {
            return CompletableFuture.failedStage(cause);
        }
        drop(notice, cause);
        return CompletableFuture.completedStage(null);
    }

    private boolean isLast(Delivery notice, Throwable failure) {
        if (failure instanceof InvalidDeliveryException
                || failure instanceof PayloadConversionException
                || isNotRetryable(failure)
                || notice.attempt() >= options.maxAttempts()) {
            return true;
        }
        try {
            return options.retryPolicy().decide(new FailedAttempt(notice, options.maxAttempts(), failure))
                    instanceof GiveUp;
        } catch (RuntimeException policyFailed) {
            return false;
        }
    }

    private boolean isNotRetryable(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .limit(MAX_CAUSES)
                .anyMatch(cause -> options.notRetryable().stream().anyMatch(type -> type.isInstance(cause)));
    }

    private void drop(Delivery notice, Throwable failure) {
        log.error(
                "The dead-letter listener of topic " + notice.topic() + " failed for the last time; letter "
                        + notice.id() + " stays, and no further notice of it is given",
                failure);
        events.publish(listener -> listener.deathNoticeDropped(notice.topic(), notice.id(), failure));
    }
}
