package io.delayqueue.container;

import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.event.EventBus;
import io.delayqueue.event.FailureLog;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.BatchFailureException;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.listener.DependencyUnavailableException;
import io.delayqueue.listener.FailedAttempt;
import io.delayqueue.listener.InvalidDeliveryException;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.listener.RetryDecision;
import io.delayqueue.listener.RetryDecision.RetryAfter;
import io.delayqueue.message.Completions;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Printable;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.ThreadState;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.UnreadableMessageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The stages of a delivery: convert, intercept, handle, decide, settle. A delivery that cannot be converted fails
 * alone, not with its batch. Thread-safe.
 */
final class DeliveryPipeline {

    private static final Log log = LogFactory.getLog(DeliveryPipeline.class);
    private static final CompletionStage<?> DONE = CompletableFuture.completedFuture(null);
    private static final Duration WHEN_POLICY_FAILS = Duration.ofMinutes(1);

    private final ListenerSpec spec;
    private final Recipient recipient;
    private final List<Class<? extends Throwable>> unavailableOn;
    private final List<DeliveryInterceptor> interceptors;
    private final PayloadCodec converter;
    private final EventBus events;
    private final ClaimBudget budget;
    private final Circuit circuit;
    private final LongSupplier nanoTime;

    DeliveryPipeline(
            ListenerSpec spec,
            PayloadCodec converter,
            List<DeliveryInterceptor> interceptors,
            EventBus events,
            LongSupplier nanoTime,
            ClaimBudget budget,
            Circuit circuit) {
        this.spec = spec;
        this.recipient = new Recipient(spec.topic(), spec.kind(), spec.id());
        this.unavailableOn = Stream.<Class<? extends Throwable>>concat(
                        Stream.of(DependencyUnavailableException.class), spec.options().unavailableOn().stream())
                .toList();
        this.interceptors = List.copyOf(interceptors);
        this.converter = converter;
        this.events = events;
        this.budget = budget;
        this.circuit = circuit;
        this.nanoTime = nanoTime;
    }

    /**
     * Handles a batch, which may span shards. Never throws. Leaves the calling thread as it was, but not interrupted.
     *
     * @return null if all deliveries are settled, else a stage that completes when they are
     */
    @Nullable
    CompletableFuture<?> handle(List<ClaimedDelivery> claimed) {
        Thread.interrupted(); // of former work of the thread
        ThreadState state = ThreadState.current();
        Thread current = Thread.currentThread();
        claimed.forEach(delivery -> delivery.runsOn(current));
        try {
            return handle(claimed, state);
        } finally {
            claimed.forEach(delivery -> delivery.runsOn(null));
            state.restore();
        }
    }

    private @Nullable CompletableFuture<?> handle(List<ClaimedDelivery> claimed, ThreadState state) {
        long started = nanoTime.getAsLong();
        List<ClaimedDelivery> readable = new ArrayList<>(claimed.size());
        for (ClaimedDelivery delivery : claimed) {
            delivery.started(started);
            if (convert(delivery, state)) {
                readable.add(delivery);
            }
        }
        if (readable.isEmpty()) {
            return null;
        }
        CompletableFuture<Void> settled = new CompletableFuture<>();
        CompletionStage<?> stage = intercepted(readable);
        state.restore();
        try {
            // not join() or a dependent stage: they call toString() of the failure, which may throw
            stage.handle((nothing, failure) -> {
                finish(readable, failure, started, settled);
                return null;
            });
        } catch (Throwable e) { // an application's own CompletionStage may throw
            finish(readable, e, started, settled);
        }
        return settled.isDone() ? null : settled;
    }

    private boolean convert(ClaimedDelivery delivery, ThreadState state) {
        Throwable failure = null;
        try {
            byte[] body = delivery.envelope().payload();
            delivery.converted(converter.read(body, spec.payloadType(), spec.topic()));
        } catch (Throwable e) { // any failure of a converter concerns its own message only
            failure = e;
        }
        state.restore();
        if (failure != null) {
            decide(delivery, failure);
        }
        return failure == null;
    }

    private void publishStarted(ClaimedDelivery delivery) {
        Duration late = Duration.ofNanos(Math.max(0, delivery.latenessNanos()));
        events.publish(to -> to.started(recipient, delivery.id(), delivery.attempt(), late));
    }

    private CompletionStage<?> intercepted(List<ClaimedDelivery> readable) {
        List<Delivery> deliveries = List.copyOf(readable);
        try {
            readable.forEach(this::publishStarted);
            return Objects.requireNonNull(proceed(0, deliveries), "An interceptor returned no stage");
        } catch (Throwable e) { // any failure of an interceptor or handler fails the attempt, not the engine
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletionStage<?> proceed(int index, List<Delivery> deliveries) throws Exception {
        if (index < interceptors.size()) {
            return interceptors.get(index).around(spec.id(), deliveries, () -> proceed(index + 1, deliveries));
        }
        CompletionStage<?> stage = spec.handler().handle(deliveries);
        return stage == null ? DONE : stage;
    }

    private void finish(
            List<ClaimedDelivery> handled, @Nullable Throwable thrown, long started, CompletableFuture<?> settled) {
        try {
            budget.handled(nanoTime.getAsLong() - started, handled.size());
            Throwable failure = thrown == null ? null : Completions.cause(thrown);
            handled.forEach(delivery -> finish(delivery, failure));
        } finally {
            settled.complete(null);
        }
    }

    private void finish(ClaimedDelivery delivery, @Nullable Throwable failure) {
        Throwable own = failure instanceof BatchFailureException batch ? ownFailure(batch, delivery) : failure;
        if (own == null) {
            delivery.acknowledge();
            circuit.handled(delivery.id(), delivery.startedAt());
        } else {
            decide(delivery, own);
        }
    }

    private static @Nullable Throwable ownFailure(BatchFailureException batch, ClaimedDelivery delivery) {
        try {
            return batch.namesNone() ? batch : batch.failureOf(delivery);
        } catch (RuntimeException e) { // failureOf() reads the payload, which is missing if the converter returned null
            return batch;
        }
    }

    private void decide(ClaimedDelivery delivery, Throwable failure) {
        if (delivery.isSettled()) {
            FailureLog.log(
                    log::warn, describe(delivery) + " failed after it was settled; the settlement counts", failure);
            return;
        }
        Settlement decision = decision(delivery, failure);
        delivery.settle(decision, failure);
        if (decision instanceof Settlement.ToDeadLetters deadLetter) {
            FailureLog.log(
                    log::warn,
                    describe(delivery)
                            + (spec.kind() == QueueKind.NOTIFICATIONS
                                    ? " is dropped: "
                                    : " failed; the message is dead-lettered: ")
                            + deadLetter.cause(),
                    failure);
        } else if (log.isDebugEnabled()) {
            FailureLog.log(log::debug, describe(delivery) + " failed; the message is delivered again", failure);
        }
    }

    /** Returns the settlement of a failed delivery, even if code of the application throws. */
    private Settlement decision(ClaimedDelivery delivery, Throwable failure) {
        Throwable exception = Completions.cause(failure);
        try {
            return settlementAfter(delivery, exception);
        } catch (Throwable e) {
            FailureLog.log(log::error, describe(delivery) + " failed, and so did the retry decision", e);
            return delivery.claim().retryOrDeadLetter(WHEN_POLICY_FAILS, Failure.of(exception), delivery.maxAttempts());
        }
    }

    private Settlement settlementAfter(ClaimedDelivery delivery, Throwable exception) {
        if (isUnreadable(exception)) {
            return deadLetter(delivery, DeadLetterCause.UNREADABLE, exception);
        }
        if (Failure.hasCause(exception, spec.options().notRetryable())) {
            circuit.handled(delivery.id(), delivery.startedAt());
            return deadLetter(delivery, DeadLetterCause.NOT_RETRYABLE, exception);
        }
        if (Failure.hasCause(exception, unavailableOn)) {
            Duration delay = circuit.failed(delivery.id(), delivery.startedAt(), exception);
            if (delay != null) {
                return new Settlement.Release(delivery.id(), delivery.claim().token(), delay, false);
            }
        } else {
            circuit.handled(delivery.id(), delivery.startedAt());
        }
        int maxAttempts = delivery.maxAttempts();
        return delivery.attempt() < maxAttempts
                        && retryDecision(new FailedAttempt(delivery, maxAttempts, exception))
                                instanceof RetryAfter retry
                ? new Settlement.Retry(delivery.id(), delivery.claim().token(), retry.delay(), Failure.of(exception))
                : deadLetter(delivery, DeadLetterCause.ATTEMPTS_SPENT, exception);
    }

    private RetryDecision retryDecision(FailedAttempt failed) {
        ThreadState state = ThreadState.current(); // the thread may be the one that completed the handler's stage
        try {
            return Objects.requireNonNull(
                    spec.options().retryPolicy().decide(failed), "The retry policy returned null");
        } catch (Throwable e) { // the message is retried even if the policy fails
            FailureLog.log(
                    log::error,
                    "The retry policy failed for message "
                            + Printable.of(failed.delivery().id()) + " of topic "
                            + Printable.of(failed.delivery().topic()) + ". The message is retried in "
                            + DurationText.of(WHEN_POLICY_FAILS),
                    e);
            return new RetryAfter(WHEN_POLICY_FAILS);
        } finally {
            state.restore();
        }
    }

    private static Settlement deadLetter(ClaimedDelivery delivery, DeadLetterCause cause, Throwable exception) {
        return new Settlement.ToDeadLetters(
                delivery.id(), delivery.claim().token(), cause, Failure.withStack(exception));
    }

    private static boolean isUnreadable(Throwable exception) {
        return exception instanceof PayloadConversionException
                || exception instanceof InvalidDeliveryException
                || exception instanceof UnreadableMessageException;
    }

    private String describe(ClaimedDelivery delivery) {
        return "Attempt " + delivery.attempt() + " at "
                + (spec.kind() == QueueKind.NOTIFICATIONS ? "the notification of dead letter " : "message ")
                + Printable.of(delivery.id())
                + " of topic "
                + Printable.of(spec.topic()) + " by listener " + Printable.of(spec.id());
    }
}
