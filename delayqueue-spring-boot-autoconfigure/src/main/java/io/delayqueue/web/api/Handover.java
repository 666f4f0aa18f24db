package io.delayqueue.web.api;

import io.delayqueue.template.pull.PulledDelivery;
import io.delayqueue.web.waiting.AbandonedWaits;
import io.delayqueue.web.waiting.LongPoll;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.async.DeferredResult;

/**
 * Gives what was pulled to the client that waits for it. What doesn't get on its way to it, since it has hung up or waited
 * too long, is handed back, and the attempt doesn't count. Thread-safe.
 *
 * @param <T> the answer's body
 */
final class Handover<T> {

    /** The receiver ends a wait by itself; that takes a little longer while Redis is away. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final LongPoll poll;
    private final CompletableFuture<List<PulledDelivery>> pulling;
    private final DeferredResult<Answer<T>> result;
    private final AtomicReference<List<PulledDelivery>> held = new AtomicReference<>(List.of());
    private volatile boolean ended;

    private Handover(LongPoll poll, CompletableFuture<List<PulledDelivery>> pulling, Duration wait) {
        this.poll = poll;
        this.pulling = pulling;
        this.result = new DeferredResult<>(wait.plus(PATIENCE).toMillis());
    }

    /**
     * Begins one.
     *
     * @param request which waits
     * @param wait for how long something is pulled for at most
     * @param writer makes the answer
     */
    static <T> DeferredResult<Answer<T>> begin(
            HttpServletRequest request,
            LongPoll poll,
            CompletableFuture<List<PulledDelivery>> pulling,
            Duration wait,
            Function<List<PulledDelivery>, T> writer) {
        Handover<T> handover = new Handover<>(poll, pulling, wait);
        handover.result.onTimeout(handover::timedOut);
        handover.result.onCompletion(handover::end);
        AbandonedWaits.remember(request, handover::end);
        poll.onHangUp(handover::hungUp);
        CompletableFuture<?> ignored =
                pulling.whenComplete((deliveries, failure) -> handover.pulled(deliveries, failure, writer));
        return handover.result;
    }

    private void pulled(
            @Nullable List<PulledDelivery> deliveries,
            @Nullable Throwable failure,
            Function<List<PulledDelivery>, T> writer) {
        if (deliveries == null) {
            if (!(failure instanceof CancellationException)) {
                poll.answer(() -> result.setErrorResult(cause(failure)));
            }
            return;
        }
        held.set(deliveries);
        AtomicBoolean taken = new AtomicBoolean();
        boolean answered = false;
        try {
            T body = writer.apply(deliveries);
            answered =
                    poll.answer(() -> taken.set(result.setResult(Answer.ok(body).whenWritten(this::written))));
        } catch (RuntimeException e) {
            poll.close();
            result.setErrorResult(e);
        }
        if (!answered || !taken.get() || ended) {
            handBack();
        }
    }

    private static Object cause(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause == null ? new IllegalStateException("Pulling ended without a result") : cause;
    }

    private void written() {
        held.set(List.of());
    }

    private void hungUp() {
        pulling.cancel(false);
        handBack();
        // nobody reads it, but the request must end
        result.setErrorResult(ProblemType.UNAVAILABLE.exception("The client has hung up."));
    }

    private void timedOut() {
        poll.close();
        pulling.cancel(false);
        result.setErrorResult(ProblemType.UNAVAILABLE.exception(
                "Redis did not answer while the client was waiting. Nothing was received; ask again."));
    }

    private void end() {
        ended = true;
        poll.close();
        pulling.cancel(false);
        handBack();
    }

    private void handBack() {
        for (PulledDelivery delivery : held.getAndSet(List.of())) {
            CompletableFuture<?> ignored = delivery.release();
        }
    }
}
