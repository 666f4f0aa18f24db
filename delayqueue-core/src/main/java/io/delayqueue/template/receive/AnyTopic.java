package io.delayqueue.template.receive;

import io.delayqueue.message.Completions;
import io.delayqueue.template.DelayQueueUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Receives from one of several topics. First it polls each topic once, in order. Then it waits for all of them; the
 * first topic with due messages ends the wait. Deliveries of other topics that arrive later are released. Thread-safe.
 */
final class AnyTopic {

    private final DefaultDelayQueueReceiver receiver;
    private final List<TopicRequest> requests;
    private final LongSupplier nanoTime;
    private final long deadline;
    private final CompletableFuture<List<LeasedDelivery>> result = new CompletableFuture<>();

    /**
     * Creates the receiver; {@link #start} starts it.
     *
     * @param requests one for each topic, otherwise equal
     */
    AnyTopic(DefaultDelayQueueReceiver receiver, List<TopicRequest> requests, LongSupplier nanoTime) {
        this.receiver = receiver;
        this.requests = requests;
        this.nanoTime = nanoTime;
        this.deadline = nanoTime.getAsLong() + requests.get(0).waitTime().toNanos();
    }

    CompletableFuture<List<LeasedDelivery>> start() {
        pollTopic(0, null);
        return result;
    }

    private void pollTopic(int index, @Nullable Throwable failure) {
        if (result.isDone()) {
            return;
        }
        if (index == requests.size()) {
            waitForAll(failure);
            return;
        }
        CompletableFuture<List<LeasedDelivery>> polled =
                receive(requests.get(index).waitTime(Duration.ZERO));
        polled.whenComplete((deliveries, problem) -> {
            if (problem != null && (!isOutage(problem) || isTimedOut())) {
                fail(problem);
            } else if (problem != null || deliveries.isEmpty()) {
                pollTopic(index + 1, failure == null ? problem : failure);
            } else {
                complete(deliveries);
            }
        });
    }

    /** Whether a wait was requested and has timed out, as it may in an outage: each poll takes a command timeout. */
    private boolean isTimedOut() {
        return !requests.get(0).waitTime().isZero() && nanoTime.getAsLong() - deadline >= 0;
    }

    private void waitForAll(@Nullable Throwable failure) {
        long left = deadline - nanoTime.getAsLong();
        if (left <= 0) {
            end(failure);
            return;
        }
        List<CompletableFuture<List<LeasedDelivery>>> waits = new ArrayList<>();
        for (TopicRequest request : requests) {
            waits.add(receive(request.waitTime(Duration.ofNanos(left))));
        }
        for (CompletableFuture<List<LeasedDelivery>> wait : waits) {
            wait.thenAccept(deliveries -> {
                if (!deliveries.isEmpty()) {
                    complete(deliveries);
                }
            });
        }
        CompletableFuture<?> all = CompletableFuture.allOf(waits.toArray(CompletableFuture[]::new))
                .whenComplete((nothing, problem) -> end(problem));
        // a result or a cancellation ends all waits
        result.whenComplete((deliveries, problem) -> {
            waits.forEach(wait -> wait.cancel(false));
            all.cancel(false);
        });
    }

    private CompletableFuture<List<LeasedDelivery>> receive(TopicRequest request) {
        return Completions.call(() -> receiver.receiveAsync(request));
    }

    private void complete(List<LeasedDelivery> deliveries) {
        if (!result.complete(deliveries)) {
            deliveries.forEach(LeasedDelivery::release);
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
        result.completeExceptionally(Completions.cause(failure));
    }

    private static boolean isOutage(Throwable failure) {
        return Completions.cause(failure) instanceof DelayQueueUnavailableException;
    }
}
