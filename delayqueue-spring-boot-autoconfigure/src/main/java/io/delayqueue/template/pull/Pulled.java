package io.delayqueue.template.pull;

import io.delayqueue.message.Envelope;
import io.delayqueue.store.Claim;
import io.delayqueue.store.Renewal;
import io.delayqueue.store.Settle;
import io.delayqueue.store.Settle.Acknowledge;
import io.delayqueue.store.Settle.Release;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A claim in the hands of a receiver. */
final class Pulled implements PulledDelivery, Timing {

    private final Tools tools;
    private final SettleLane lane;
    private final String topic;
    private final Claim claim;
    private final Envelope envelope;
    private final RedisTime time;
    private final AtomicBoolean settled = new AtomicBoolean();
    private final AtomicLong leaseEndNanos;
    private final long takenAt;

    /** A claim whose message could be read. */
    Pulled(Tools tools, SettleLane lane, String topic, Claim claim, Envelope envelope, ClaimTime time) {
        this.tools = tools;
        this.lane = lane;
        this.topic = topic;
        this.claim = claim;
        this.envelope = envelope;
        this.time = time.redis();
        this.takenAt = tools.now();
        Duration own = envelope.limits().lease();
        this.leaseEndNanos = new AtomicLong(time.begunNanos() + (own == null ? time.lease() : own).toNanos());
    }

    /**
     * When a claim was made.
     *
     * @param redis Redis' clock
     * @param begunNanos when the request was sent, by the monotonic clock: the lease began no earlier
     * @param lease that was asked for
     */
    record ClaimTime(RedisTime redis, long begunNanos, Duration lease) {}

    @Override
    public Duration handling(long askedNanos, Instant settledAt) {
        return Duration.ofNanos(askedNanos - takenAt);
    }

    @Override
    public Duration sinceSent(Instant settledAt) {
        Duration since = Duration.between(sentAt(), settledAt);
        return since.isNegative() ? Duration.ZERO : since;
    }

    @Override
    public String topic() {
        return topic;
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

    @Override
    public <T> T payload(Class<T> type) {
        return type.cast(tools.codec().read(envelope.payload(), type));
    }

    @Override
    public Object payload(Type type) {
        return tools.codec().read(envelope.payload(), type);
    }

    @Override
    public String leaseToken() {
        return claim.token();
    }

    @Override
    public String receipt() {
        return new Receipt(claim.attempt(), permitted(), time.at(takenAt), sentAt(), claim.token()).toString();
    }

    @Override
    public Instant leaseEnd() {
        return time.at(leaseEndNanos.get());
    }

    @Override
    public Duration leaseLeft() {
        return Duration.ofNanos(Math.max(0, leaseEndNanos.get() - tools.now()));
    }

    @Override
    public CompletableFuture<Boolean> acknowledge() {
        return settle(new Acknowledge(claim.id(), claim.token()));
    }

    @Override
    public CompletableFuture<Boolean> retry(Duration delay) {
        return retry(delay, "asked for by the receiver");
    }

    @Override
    public CompletableFuture<Boolean> retry(Duration delay, String reason) {
        Settles.checkDelay(delay);
        return settle(Settles.retry(claim.id(), claim.token(), delay, reason, claim.attempt() >= permitted()));
    }

    private int permitted() {
        Integer own = envelope.limits().maxAttempts();
        return own == null ? tools.settings().maxAttempts() : own;
    }

    @Override
    public CompletableFuture<Boolean> bury(String reason) {
        return settle(Settles.bury(claim.id(), claim.token(), reason));
    }

    @Override
    public CompletableFuture<Boolean> extend(Duration time) {
        Settles.checkExtension(time);
        if (settled.get()) {
            return CompletableFuture.completedFuture(false);
        }
        long begun = tools.now();
        Duration left = leaseLeft();
        Duration lease = left.compareTo(time) > 0 ? left : time;
        return lane.submit(new Renewal(claim.id(), claim.token(), lease)).thenApply(accepted -> {
            if (accepted) {
                leaseEndNanos.accumulateAndGet(begun + lease.toNanos(), (a, b) -> a - b > 0 ? a : b);
            }
            return accepted;
        });
    }

    @Override
    public CompletableFuture<Boolean> release() {
        return settle(new Release(claim.id(), claim.token()));
    }

    private CompletableFuture<Boolean> settle(Settle settle) {
        return settled.compareAndSet(false, true)
                ? lane.submit(settle, this)
                : CompletableFuture.completedFuture(false);
    }
}
