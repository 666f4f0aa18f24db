package io.delayqueue.template.pull;

import io.delayqueue.message.Shard;
import io.delayqueue.store.Renewal;
import io.delayqueue.store.Settle.Acknowledge;
import io.delayqueue.store.Settle.Release;
import io.delayqueue.store.TopicRegisteredAnewException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Settles by receipts, with a lane for each shard that something was settled of. Thread-safe. */
final class LeaseLanes implements Leases {

    /** How often a topic's shards are asked for. More than once takes somebody who registers the topic anew just then. */
    private static final int ATTEMPTS = 3;

    private final Tools tools;
    private final Map<Shard, SettleLane> lanes = new ConcurrentHashMap<>();
    private volatile boolean closed;

    LeaseLanes(Tools tools) {
        this.tools = tools;
    }

    @Override
    public CompletableFuture<Boolean> acknowledge(String topic, String id, String receipt) {
        return answer(
                topic, id, receipt, (lane, delivery) -> lane.submit(new Acknowledge(id, delivery.token()), delivery));
    }

    @Override
    public CompletableFuture<Boolean> retry(String topic, String id, String receipt, Duration delay, String reason) {
        Settles.checkDelay(delay);
        return answer(topic, id, receipt, (lane, delivery) -> {
            boolean last = delivery.attempt() >= delivery.permitted();
            return lane.submit(Settles.retry(id, delivery.token(), delay, reason, last), delivery);
        });
    }

    @Override
    public CompletableFuture<Boolean> bury(String topic, String id, String receipt, String reason) {
        return answer(
                topic,
                id,
                receipt,
                (lane, delivery) -> lane.submit(Settles.bury(id, delivery.token(), reason), delivery));
    }

    @Override
    public CompletableFuture<Boolean> extend(String topic, String id, String receipt, Duration time) {
        Settles.checkExtension(time);
        return answer(topic, id, receipt, (lane, delivery) -> lane.submit(new Renewal(id, delivery.token(), time)));
    }

    @Override
    public CompletableFuture<Boolean> release(String topic, String id, String receipt) {
        return answer(topic, id, receipt, (lane, delivery) -> lane.submit(new Release(id, delivery.token()), delivery));
    }

    private CompletableFuture<Boolean> answer(
            String topic, String id, String receipt, BiFunction<SettleLane, Receipt, CompletableFuture<Boolean>> how) {
        return Receipt.parse(receipt)
                .map(delivery -> answer(topic, id, lane -> how.apply(lane, delivery), 1))
                .orElseGet(() -> CompletableFuture.completedFuture(false));
    }

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
