package io.delayqueue.template.pull;

import io.delayqueue.template.DelayQueueUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits at several topics for one of them: first each is looked at once, in their order; then all are waited at, and the
 * first one that has something ends it. What others claim at that moment is handed back. Thread-safe.
 */
final class AnyTopic {

    private final DelayQueueReceiver receiver;
    private final List<ReceiveRequest> requests;
    private final LongSupplier nanoTime;
    private final long deadline;
    private final CompletableFuture<List<PulledDelivery>> result = new CompletableFuture<>();

    /**
     * Begins when it is started.
     *
     * @param requests one for each topic, alike but for it
     */
    AnyTopic(DelayQueueReceiver receiver, List<ReceiveRequest> requests, LongSupplier nanoTime) {
        this.receiver = receiver;
        this.requests = requests;
        this.nanoTime = nanoTime;
        this.deadline = nanoTime.getAsLong() + requests.get(0).waitTime().toNanos();
    }

    CompletableFuture<List<PulledDelivery>> start() {
        lookAt(0, null);
        return result;
    }

    private void lookAt(int index, @Nullable Throwable failure) {
        if (result.isDone()) {
            return;
        }
        if (index == requests.size()) {
            waitAtAll(failure);
            return;
        }
        ReceiveRequest request = requests.get(index);
        CompletableFuture<List<PulledDelivery>> look =
                ask(new ReceiveRequest(request.topic(), request.max(), Duration.ZERO, request.lease()));
        CompletableFuture<?> unused = look.whenComplete((deliveries, problem) -> {
            if (problem != null && (!isOutage(problem) || hasWaited())) {
                fail(problem);
            } else if (problem != null || deliveries.isEmpty()) {
                lookAt(index + 1, failure == null ? problem : failure);
            } else {
                give(deliveries);
            }
        });
    }

    /** Each look of an outage takes its time: whoever gave some doesn't wait for all of them. */
    private boolean hasWaited() {
        return !requests.get(0).waitTime().isZero() && nanoTime.getAsLong() - deadline >= 0;
    }

    private void waitAtAll(@Nullable Throwable failure) {
        long left = deadline - nanoTime.getAsLong();
        if (left <= 0) {
            end(failure);
            return;
        }
        List<CompletableFuture<List<PulledDelivery>>> waits = new ArrayList<>();
        for (ReceiveRequest request : requests) {
            waits.add(ask(new ReceiveRequest(request.topic(), request.max(), Duration.ofNanos(left), request.lease())));
        }
        for (CompletableFuture<List<PulledDelivery>> wait : waits) {
            CompletableFuture<?> unused = wait.thenAccept(deliveries -> {
                if (!deliveries.isEmpty()) {
                    give(deliveries);
                }
            });
        }
        CompletableFuture<?> all = CompletableFuture.allOf(waits.toArray(CompletableFuture[]::new))
                .whenComplete((nothing, problem) -> end(problem));
        // whoever ends it, by an answer or by going away, ends the waits
        CompletableFuture<?> unused = result.whenComplete((deliveries, problem) -> {
            waits.forEach(wait -> wait.cancel(false));
            all.cancel(false);
        });
    }

    private CompletableFuture<List<PulledDelivery>> ask(ReceiveRequest request) {
        try {
            return receiver.receiveAsync(request);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void give(List<PulledDelivery> deliveries) {
        if (!result.complete(deliveries)) {
            Tools.handBack(deliveries);
        }
    }

    private void end(@Nullable Throwable failure) {
        if (failure == null) {
            result.complete(List.of());
        } else {
            fail(failure);
        }
    }

    private void fail(Throwable failure) {
        result.completeExceptionally(Tools.unwrap(failure));
    }

    private static boolean isOutage(Throwable failure) {
        return Tools.unwrap(failure) instanceof DelayQueueUnavailableException;
    }
}
