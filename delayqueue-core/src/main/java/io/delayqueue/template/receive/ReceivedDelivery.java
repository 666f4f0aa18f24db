package io.delayqueue.template.receive;

import io.delayqueue.consume.LeasedMessage;
import io.delayqueue.message.Versions;
import io.delayqueue.store.Claim;
import io.delayqueue.store.LeaseTokens;
import io.delayqueue.store.Settlement;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A delivery of a receiver. Its lease is not renewed. */
final class ReceivedDelivery extends LeasedMessage implements LeasedDelivery {

    private final ReceiverContext context;
    private final ReceiverShard shard;

    /**
     * Creates a delivery from a claim.
     *
     * @param lease applies unless the message has its own lease
     * @param polledAt when the poll was sent, by the monotonic clock; the lease started then or later
     * @throws io.delayqueue.store.UnreadableMessageException if the message cannot be decoded
     */
    ReceivedDelivery(ReceiverContext context, ReceiverShard shard, Claim claim, Duration lease, long polledAt) {
        super(shard.clock(), shard.shard(), claim, context.limits(lease), polledAt);
        this.context = context;
        this.shard = shard;
        envelope();
        started(context.now());
    }

    void heldBy(String client) {
        context.given.heldBy(client, topic(), claim());
    }

    boolean hasVersion() {
        return Versions.isVersion(envelope().nonce());
    }

    @Override
    public <T> T payload(Class<T> type) {
        return type.cast(context.codec.read(body(), type, topic()));
    }

    @Override
    public Object payload(Type type) {
        return context.codec.read(body(), type, topic());
    }

    @Override
    public String leaseToken() {
        return claim().token();
    }

    @Override
    public String receipt() {
        String token = LeaseTokens.receipt(claim().token(), id());
        ReceiptDetails details = new ReceiptDetails(attempt(), clock().at(startedAt()), sentAt(), token);
        return new Receipt(topic(), id(), details.toString()).toString();
    }

    @Override
    public Duration leaseLeft() {
        return Duration.ofNanos(Math.max(0, leaseDeadline() - context.now()));
    }

    @Override
    public CompletableFuture<Boolean> retry(Duration delay) {
        return retry(delay, "requested by the receiver");
    }

    @Override
    public CompletableFuture<Boolean> retry(Duration delay, String reason) {
        return settle(retryOrDeadLetter(delay, reason));
    }

    @Override
    protected CompletableFuture<Boolean> send(Settlement first, @Nullable Throwable failure) {
        return ReceiverContext.result(topic(), shard.settle(claim(), first, this));
    }

    @Override
    protected CompletableFuture<Boolean> send(Settlement.Extend extension) {
        long sentAt = context.now();
        return ReceiverContext.result(topic(), shard.settle(claim(), extension, null))
                .thenApply(accepted -> {
                    if (accepted) {
                        renewed(sentAt, extension.lease().toNanos());
                    }
                    return accepted;
                });
    }
}
