package io.delayqueue.template.receive;

import io.delayqueue.message.Completions;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Shard;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.Settlement.Acknowledge;
import io.delayqueue.store.Settlement.Extend;
import io.delayqueue.store.Settlement.Postpone;
import io.delayqueue.store.Settlement.Release;
import io.delayqueue.store.Settlement.Retry;
import io.delayqueue.store.Settlement.ToDeadLetters;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.springframework.util.Assert;

/** Settles deliveries by their receipts, with the next poll of the id's shard. Thread-safe. */
final class ReceiptLeases implements Leases {

    private final ReceiverContext context;
    private final Function<Shard, ReceiverShard> shards;
    private final Map<OpenRequest, CompletableFuture<Boolean>> open;
    /** Adds a settlement to a shard, which sends it now or later. */
    private final Adding adding;

    ReceiptLeases(ReceiverContext context, Function<Shard, ReceiverShard> shards) {
        this(context, shards, new ConcurrentHashMap<>(), ReceiverShard::settle);
    }

    private ReceiptLeases(
            ReceiverContext context,
            Function<Shard, ReceiverShard> shards,
            Map<OpenRequest, CompletableFuture<Boolean>> open,
            Adding adding) {
        this.context = context;
        this.shards = shards;
        this.open = open;
        this.adding = adding;
    }

    private interface Adding {

        CompletableFuture<Boolean> add(ReceiverShard shard, Settlement settlement, ReceiptDetails delivery);
    }

    @Override
    public void together(Consumer<Leases> settlements) {
        Assert.notNull(settlements, "'settlements' must not be null");
        Set<ReceiverShard> added = ConcurrentHashMap.newKeySet();
        AtomicBoolean sends = new AtomicBoolean();
        try {
            settlements.accept(new ReceiptLeases(context, shards, open, (shard, settlement, delivery) -> {
                CompletableFuture<Boolean> accepted = shard.add(settlement, delivery);
                added.add(shard);
                if (sends.get()) {
                    shard.wake();
                }
                return accepted;
            }));
        } finally {
            sends.set(true);
            added.forEach(ReceiverShard::wake);
        }
    }

    @Override
    public CompletableFuture<Boolean> acknowledge(String receipt) {
        return settle(receipt, Acknowledge::new);
    }

    @Override
    public CompletableFuture<Boolean> retry(String receipt, Duration delay, String reason) {
        Assert.notNull(delay, "'delay' must not be null");
        Assert.notNull(reason, "'reason' must not be null");
        Retry.checkDelay(delay);
        return settle(receipt, (id, token) -> new Retry(id, token, delay, new Failure("retry", reason), true, null));
    }

    @Override
    public CompletableFuture<Boolean> postpone(String receipt, Duration delay) {
        return postpone(receipt, delay, false);
    }

    @Override
    public CompletableFuture<Boolean> letOthersPass(String receipt, Duration delay) {
        return postpone(receipt, delay, true);
    }

    private CompletableFuture<Boolean> postpone(String receipt, Duration delay, boolean lettingOthersPass) {
        Assert.notNull(delay, "'delay' must not be null");
        Postpone.checkDelay(delay);
        return settle(
                receipt, (id, token) -> new Postpone(id, token, delay, context.maxPostponements(), lettingOthersPass));
    }

    @Override
    public CompletableFuture<Boolean> holdTopic(String receipt, Duration time) {
        Assert.notNull(time, "'time' must not be null");
        Release.checkHold(time);
        return settle(receipt, (id, token) -> Release.holding(id, token, time));
    }

    @Override
    public CompletableFuture<Boolean> deadLetter(String receipt, String reason) {
        Assert.notNull(reason, "'reason' must not be null");
        return settle(receipt, (id, token) -> new ToDeadLetters(id, token, reason));
    }

    @Override
    public CompletableFuture<Boolean> extendLease(String receipt, Duration time) {
        Assert.notNull(time, "'time' must not be null");
        Extend.checkTime(time);
        return settle(receipt, (id, token) -> new Extend(id, token, time));
    }

    @Override
    public CompletableFuture<Boolean> release(String receipt) {
        return settle(receipt, Release::new);
    }

    /**
     * Settles a delivery. If an equal settlement is in progress, returns its result, because clients repeat their
     * requests in an outage.
     *
     * @param how creates the settlement of an id and a token
     */
    private CompletableFuture<Boolean> settle(String text, BiFunction<String, String, Settlement> how) {
        Assert.notNull(text, "'receipt' must not be null");
        Receipt receipt = Receipt.parse(text);
        ReceiptDetails delivery = receipt == null
                ? null
                : ReceiptDetails.parse(receipt.delivery()).orElse(null);
        if (receipt == null || delivery == null) {
            return CompletableFuture.completedFuture(false);
        }
        String topic = receipt.topic();
        Settlement settlement = how.apply(receipt.id(), delivery.token());
        OpenRequest request = new OpenRequest(topic, settlement);
        CompletableFuture<Boolean> mine = new CompletableFuture<>();
        CompletableFuture<Boolean> other = open.putIfAbsent(request, mine);
        if (other != null) {
            return other.copy();
        }
        CompletableFuture<Optional<Boolean>> settling = Completions.call(() -> context.topics.withShard(
                topic, receipt.id(), shard -> adding.add(shards.apply(shard), checked(settlement, shard), delivery)));
        ReceiverContext.result(topic, settling.thenApply(found -> found.orElse(false)))
                .whenComplete((accepted, failure) -> {
                    open.remove(request);
                    if (failure == null) {
                        mine.complete(accepted);
                    } else {
                        mine.completeExceptionally(Completions.cause(failure));
                    }
                });
        return mine.copy();
    }

    private static Settlement checked(Settlement settlement, Shard shard) {
        return settlement instanceof Release release ? release.forShard(shard) : settlement;
    }

    /** A settlement in progress. */
    private record OpenRequest(String topic, Settlement settlement) {}
}
