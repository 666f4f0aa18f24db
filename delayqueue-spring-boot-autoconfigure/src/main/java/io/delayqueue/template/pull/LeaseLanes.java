package io.delayqueue.template.pull;

import io.delayqueue.message.Shard;
import io.delayqueue.store.Renewal;
import io.delayqueue.store.Settle;
import io.delayqueue.store.Settle.Acknowledge;
import io.delayqueue.store.Settle.Release;
import io.delayqueue.store.TopicRegisteredAnewException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Settles by receipts, with a lane for each shard that something was settled of. Thread-safe. */
final class LeaseLanes implements Leases {

    /** How often a topic's shards are asked for. More than once takes somebody who registers the topic anew just then. */
    private static final int ATTEMPTS = 3;

    private final Tools tools;
    private final Map<Shard, SettleLane> lanes = new ConcurrentHashMap<>();
    private final Map<Asked, CompletableFuture<Boolean>> open = new ConcurrentHashMap<>();
    private volatile boolean closed;

    LeaseLanes(Tools tools) {
        this.tools = tools;
    }

    @Override
    public CompletableFuture<Boolean> acknowledge(String topic, String id, String receipt) {
        return settle(topic, id, receipt, delivery -> new Acknowledge(id, delivery.token()));
    }

    @Override
    public CompletableFuture<Boolean> retry(String topic, String id, String receipt, Duration delay, String reason) {
        Settles.checkDelay(delay);
        return settle(topic, id, receipt, delivery -> {
            boolean last = delivery.attempt() >= delivery.permitted();
            return Settles.retry(id, delivery.token(), delay, reason, last);
        });
    }

    @Override
    public CompletableFuture<Boolean> bury(String topic, String id, String receipt, String reason) {
        return settle(topic, id, receipt, delivery -> Settles.bury(id, delivery.token(), reason));
    }

    @Override
    public CompletableFuture<Boolean> extend(String topic, String id, String receipt, Duration time) {
        Settles.checkExtension(time);
        return Receipt.parse(receipt)
                .map(delivery -> new Renewal(id, delivery.token(), time))
                .map(renewal -> once(renewal, topic, id, lane -> lane.submit(renewal)))
                .orElseGet(LeaseLanes::gone);
    }

    @Override
    public CompletableFuture<Boolean> release(String topic, String id, String receipt) {
        return settle(topic, id, receipt, delivery -> new Release(id, delivery.token()));
    }

    private CompletableFuture<Boolean> settle(
            String topic, String id, String receipt, Function<Receipt, Settle> answer) {
        return Receipt.parse(receipt)
                .map(delivery -> {
                    Settle settle = answer.apply(delivery);
                    return once(settle, topic, id, lane -> lane.submit(settle, delivery));
                })
                .orElseGet(LeaseLanes::gone);
    }

    private static CompletableFuture<Boolean> gone() {
        return CompletableFuture.completedFuture(false);
    }

    /** What is asked for again before it was answered waits for the same answer: in an outage clients repeat themselves. */
    private CompletableFuture<Boolean> once(
            Object answer, String topic, String id, Function<SettleLane, CompletableFuture<Boolean>> how) {
        Asked asked = new Asked(topic, answer);
        CompletableFuture<Boolean> mine = new CompletableFuture<>();
        CompletableFuture<Boolean> other = open.putIfAbsent(asked, mine);
        if (other != null) {
            return other.copy();
        }
        CompletableFuture<?> ignored = answer(topic, id, how, 1).whenComplete((accepted, failure) -> {
            open.remove(asked);
            if (failure == null) {
                mine.complete(accepted);
            } else {
                mine.completeExceptionally(Tools.unwrap(failure));
            }
        });
        return mine.copy();
    }

    /** A settle or a renewal under way. */
    private record Asked(String topic, Object answer) {}

    private CompletableFuture<Boolean> answer(
            String topic, String id, Function<SettleLane, CompletableFuture<Boolean>> how, int attempt) {
        return tools.registeredShards(topic)
                .thenCompose(shards -> shards.isEmpty()
                        ? CompletableFuture.completedFuture(false)
                        : how.apply(lane(Shard.of(topic, id, shards.get().size()))))
                .exceptionallyCompose(failure -> {
                    Throwable cause = Tools.unwrap(failure);
                    return cause.getCause() instanceof TopicRegisteredAnewException && attempt < ATTEMPTS
                            ? answer(topic, id, how, attempt + 1)
                            : CompletableFuture.failedFuture(cause);
                });
    }

    private SettleLane lane(Shard shard) {
        SettleLane lane = lanes.computeIfAbsent(shard, each -> new SettleLane(tools, each, "leases"));
        if (closed) {
            lane.close();
        }
        return lane;
    }

    void close() {
        closed = true;
        new ArrayList<>(lanes.values()).forEach(SettleLane::close);
    }
}
