package io.delayqueue.web.api;

import io.delayqueue.message.Completions;
import io.delayqueue.template.receive.DefaultDelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.web.api.response.ReceiveResponse;
import io.delayqueue.web.api.response.SettleResponse;
import io.delayqueue.web.waiting.LongPolls.LongPoll;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Writes received deliveries to the waiting client. If the write fails, the container has reported that the client has
 * disconnected, or the wait has timed out, the deliveries are released, and the attempt does not count. Thread-safe.
 */
final class Handover {

    /**
     * Difference between the request's timeout and the client's wait time. The receiver ends the wait itself. If Redis
     * is unavailable, it ends the wait late.
     */
    private static final Duration TIMEOUT_MARGIN = Duration.ofSeconds(30);

    private final String client;
    private final LongPoll poll;
    private final CompletableFuture<List<LeasedDelivery>> receiving;
    private final CompletableFuture<List<SettleResponse>> settling;
    private final PendingResponse<ReceiveResponse> response;
    private final AtomicReference<List<LeasedDelivery>> held = new AtomicReference<>(List.of());
    private volatile boolean ended;

    private Handover(
            String client,
            LongPoll poll,
            CompletableFuture<List<LeasedDelivery>> receiving,
            CompletableFuture<List<SettleResponse>> settling,
            Duration wait) {
        this.client = client;
        this.poll = poll;
        this.receiving = receiving;
        this.settling = settling;
        this.response = new PendingResponse<>(wait.plus(TIMEOUT_MARGIN), this::timedOut, this::disconnected, this::end);
    }

    /**
     * Starts a handover.
     *
     * @param client name of the client
     * @param receiving completes with the received deliveries
     * @param settling completes with the results of the request's settlements; does not fail
     * @param wait maximum time of the receive call
     */
    static PendingResponse<ReceiveResponse> begin(
            String client,
            LongPoll poll,
            CompletableFuture<List<LeasedDelivery>> receiving,
            CompletableFuture<List<SettleResponse>> settling,
            Duration wait) {
        Handover handover = new Handover(client, poll, receiving, settling, wait);
        poll.onShutdown(() -> receiving.complete(List.of()));
        receiving.whenComplete(handover::received);
        return handover.response;
    }

    private void received(@Nullable List<LeasedDelivery> deliveries, @Nullable Throwable failure) {
        if (deliveries == null) {
            if (!(failure instanceof CancellationException)) {
                poll.close();
                response.fail(problem(
                        failure == null
                                ? new IllegalStateException("The receive call ended without a result")
                                : Completions.cause(failure)));
            }
            return;
        }
        held.set(deliveries);
        DefaultDelayQueueReceiver.heldBy(client, deliveries);
        settling.thenAccept(settled -> respond(deliveries, settled));
    }

    private void respond(List<LeasedDelivery> deliveries, List<SettleResponse> settled) {
        boolean taken = false;
        poll.close();
        try {
            ReceiveResponse body = ReceiveResponse.of(deliveries, settled);
            taken = response.complete(Response.ok(body).whenWritten(this::written));
        } catch (RuntimeException e) {
            response.fail(e);
        }
        if (!taken || ended) {
            release();
        }
    }

    /** After settlements, the client must not conclude from a failed receive call that nothing changed. */
    private Throwable problem(Throwable failure) {
        boolean settles = !settling.isDone() || !settling.join().isEmpty();
        return settles && Problems.isTemporary(failure)
                ? ProblemType.OUTCOME_UNKNOWN.exception(
                        "Nothing was received, and it is unknown which settlements took effect. Repeating the request is"
                                + " safe. A settlement that took effect before then has the outcome lease-lost. "
                                + failure.getMessage())
                : failure;
    }

    private void written() {
        held.set(List.of());
    }

    private void disconnected() {
        poll.close();
        receiving.cancel(false);
        release();
        // the client cannot read the response, but the request must end
        response.complete(Response.empty(Response.CLIENT_DISCONNECTED));
    }

    private void timedOut() {
        poll.close();
        receiving.cancel(false);
        response.fail(problem(ProblemType.UNAVAILABLE.exception(
                "Redis did not reply in time. Nothing was received. Repeat the request.")));
    }

    private void end() {
        ended = true;
        poll.close();
        receiving.cancel(false);
        release();
    }

    private void release() {
        for (LeasedDelivery delivery : held.getAndSet(List.of())) {
            delivery.release();
        }
    }
}
