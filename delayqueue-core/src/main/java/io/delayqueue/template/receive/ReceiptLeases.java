package io.delayqueue.template.receive;

import io.delayqueue.message.Completions;
import io.delayqueue.store.Settle;
import io.delayqueue.store.Settle.Acknowledge;
import io.delayqueue.store.Settle.Extend;
import io.delayqueue.store.Settle.Release;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.springframework.util.Assert;

/** Settles deliveries by their receipts, through the poller of the id's shard. Thread-safe. */
final class ReceiptLeases implements Leases {

    private final ReceiverContext context;
    private final Map<OpenRequest, CompletableFuture<Boolean>> open = new ConcurrentHashMap<>();

    ReceiptLeases(ReceiverContext context) {
        this.context = context;
    }

    @Override
    public CompletableFuture<Boolean> acknowledge(String topic, String id, String receipt) {
        return settle(topic, id, receipt, delivery -> new Acknowledge(id, delivery.token()));
    }

    @Override
    public CompletableFuture<Boolean> retry(String topic, String id, String receipt, Duration delay, String reason) {
        Assert.notNull(delay, "'delay' must not be null");
        Assert.notNull(reason, "'reason' must not be null");
        Settles.checkDelay(delay);
        return settle(topic, id, receipt, delivery -> Settles.retry(id, delivery.token(), delay, reason));
    }

    @Override
    public CompletableFuture<Boolean> deadLetter(String topic, String id, String receipt, String reason) {
        Assert.notNull(reason, "'reason' must not be null");
        return settle(topic, id, receipt, delivery -> Settles.deadLetter(id, delivery.token(), reason));
    }

    @Override
    public CompletableFuture<Boolean> extend(String topic, String id, String receipt, Duration time) {
        Assert.notNull(time, "'time' must not be null");
        requireNames(topic, id, receipt);
        Settles.checkExtension(time);
        return Receipt.parse(receipt)
                .map(delivery -> new Extend(id, delivery.token(), time))
                .map(extension -> once(extension, topic, id, poller -> poller.settle(extension, null)))
                .orElseGet(ReceiptLeases::notLive);
    }

    @Override
    public CompletableFuture<Boolean> release(String topic, String id, String receipt) {
        return settle(topic, id, receipt, delivery -> new Release(id, delivery.token()));
    }

    private CompletableFuture<Boolean> settle(
            String topic, String id, String receipt, Function<Receipt, Settle> settlement) {
        requireNames(topic, id, receipt);
        return Receipt.parse(receipt)
                .map(delivery -> {
                    Settle settle = settlement.apply(delivery);
                    return once(settle, topic, id, poller -> poller.settle(settle, delivery));
                })
                .orElseGet(ReceiptLeases::notLive);
    }

    private static void requireNames(String topic, String id, String receipt) {
        Assert.notNull(topic, "'topic' must not be null");
        Assert.notNull(id, "'id' must not be null");
        Assert.notNull(receipt, "'receipt' must not be null");
    }

    private static CompletableFuture<Boolean> notLive() {
        return CompletableFuture.completedFuture(false);
    }

    /**
     * Runs a request once: an equal request in progress shares its result. In an outage clients repeat their requests.
     */
    private CompletableFuture<Boolean> once(
            Object settlement, String topic, String id, Function<ReceivePoller, CompletableFuture<Boolean>> call) {
        OpenRequest request = new OpenRequest(topic, settlement);
        CompletableFuture<Boolean> mine = new CompletableFuture<>();
        CompletableFuture<Boolean> other = open.putIfAbsent(request, mine);
        if (other != null) {
            return other.copy();
        }
        CompletableFuture<?> ignored = submit(topic, id, call).whenComplete((accepted, failure) -> {
            open.remove(request);
            if (failure == null) {
                mine.complete(accepted);
            } else {
                mine.completeExceptionally(Completions.cause(failure));
            }
        });
        return mine.copy();
    }

    /** A settlement or extension in progress. */
    private record OpenRequest(String topic, Object settlement) {}

    private CompletableFuture<Boolean> submit(
            String topic, String id, Function<ReceivePoller, CompletableFuture<Boolean>> call) {
        return ReceiverContext.result(
                topic,
                ReceiverContext.call(
                                () -> context.topics.withShard(topic, id, shard -> call.apply(context.poller(shard))))
                        .thenApply(accepted -> accepted.orElse(false)));
    }
}
