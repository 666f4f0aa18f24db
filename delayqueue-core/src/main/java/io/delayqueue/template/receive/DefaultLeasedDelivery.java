package io.delayqueue.template.receive;

import io.delayqueue.message.Envelope;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Shard;
import io.delayqueue.store.Claim;
import io.delayqueue.store.LeaseTokens;
import io.delayqueue.store.PendingSettlement;
import io.delayqueue.store.RedisClock;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.Settlement.Acknowledge;
import io.delayqueue.store.Settlement.Extend;
import io.delayqueue.store.Settlement.Release;
import io.delayqueue.store.Settlement.Retry;
import io.delayqueue.store.Settlement.ToDeadLetters;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A delivery of a receiver. */
final class DefaultLeasedDelivery implements LeasedDelivery, PendingSettlement.Attempt {

    /** The nonce of a message that was sent with a version. */
    private static final Pattern VERSION = Pattern.compile("n\\d{16}");

    private final ReceiverContext context;
    private final Shard shard;
    private final Claim claim;
    private final Envelope envelope;
    private final RedisClock clock;
    private final AtomicBoolean settled = new AtomicBoolean();
    private final AtomicLong leaseEndNanos;
    private final long claimedAt;

    /**
     * Creates a delivery from a claim.
     *
     * @param lease applies unless the message has its own lease
     * @param polledAt when the poll was sent, by the monotonic clock; the lease started then or later
     * @throws io.delayqueue.store.UnreadableMessageException if the message cannot be decoded
     */
    DefaultLeasedDelivery(ReceiverContext context, ReceivePoller poller, Claim claim, Duration lease, long polledAt) {
        this.context = context;
        this.shard = poller.shard();
        this.claim = claim;
        this.envelope = claim.envelope();
        this.clock = poller.clock();
        this.claimedAt = context.now();
        Duration own = envelope.limits().lease();
        this.leaseEndNanos = new AtomicLong(polledAt + (own == null ? lease : own).toNanos());
    }

    @Override
    public Duration handling(long givenAt, Instant settledAt) {
        return Duration.ofNanos(givenAt - claimedAt);
    }

    @Override
    public String topic() {
        return shard.topic();
    }

    @Override
    public String id() {
        return claim.id();
    }

    @Override
    public int attempt() {
        return claim.attempt();
    }

    @Override
    public int postponements() {
        return claim.postponements();
    }

    @Override
    public int crashes() {
        return claim.crashes();
    }

    @Override
    public Instant dueAt() {
        return Instant.ofEpochMilli(claim.dueMillis());
    }

    @Override
    public Instant sentAt() {
        return envelope.sentAt();
    }

    @Override
    public Map<String, String> headers() {
        return envelope.headers();
    }

    @Override
    public @Nullable String lastFailure() {
        return claim.lastFailure();
    }

    @Override
    public byte[] body() {
        return envelope.payload();
    }

    boolean hasVersion() {
        return VERSION.matcher(envelope.nonce()).matches();
    }

    @Override
    public <T> T payload(Class<T> type) {
        return type.cast(context.codec.read(envelope.payload(), type, topic()));
    }

    @Override
    public Object payload(Type type) {
        return context.codec.read(envelope.payload(), type, topic());
    }

    @Override
    public String leaseToken() {
        return claim.token();
    }

    @Override
    public String receipt() {
        return new Receipt(
                        claim.attempt(), clock.at(claimedAt), sentAt(), LeaseTokens.receipt(claim.token(), claim.id()))
                .toString();
    }

    @Override
    public Instant leaseEnd() {
        return clock.at(leaseEndNanos.get());
    }

    @Override
    public Duration leaseLeft() {
        return Duration.ofNanos(Math.max(0, leaseEndNanos.get() - context.now()));
    }

    @Override
    public CompletableFuture<Boolean> acknowledge() {
        return settle(new Acknowledge(claim.id(), claim.token()));
    }

    @Override
    public CompletableFuture<Boolean> retry(Duration delay) {
        return retry(delay, "requested by the receiver");
    }

    @Override
    public CompletableFuture<Boolean> retry(Duration delay, String reason) {
        Retry.checkDelay(delay);
        Integer own = envelope.limits().maxAttempts();
        return settle(claim.retry(delay, new Failure("retry", reason), own == null ? context.maxAttempts() : own));
    }

    @Override
    public CompletableFuture<Boolean> postpone(Duration delay) {
        return settle(claim.postpone(delay, context.maxPostponements()));
    }

    @Override
    public CompletableFuture<Boolean> deadLetter(String reason) {
        return settle(new ToDeadLetters(claim.id(), claim.token(), reason));
    }

    @Override
    public CompletableFuture<Boolean> extend(Duration time) {
        Extend.checkTime(time);
        if (settled.get()) {
            return CompletableFuture.completedFuture(false);
        }
        long requestedAt = context.now();
        Settlement extend = new Extend(claim.id(), claim.token(), time);
        return ReceiverContext.result(topic(), context.poller(shard).settle(claim, extend, null))
                .thenApply(accepted -> {
                    if (accepted) {
                        leaseEndNanos.accumulateAndGet(requestedAt + time.toNanos(), (a, b) -> a - b > 0 ? a : b);
                    }
                    return accepted;
                });
    }

    @Override
    public CompletableFuture<Boolean> release() {
        return settle(new Release(claim.id(), claim.token()));
    }

    private CompletableFuture<Boolean> settle(Settlement settlement) {
        return settled.compareAndSet(false, true)
                ? ReceiverContext.result(topic(), context.poller(shard).settle(claim, settlement, this))
                : CompletableFuture.completedFuture(false);
    }
}
