package io.delayqueue.template.pull;

import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.Failure;
import io.delayqueue.store.Claim;
import io.delayqueue.store.Renewal;
import io.delayqueue.store.Settle;
import io.delayqueue.store.Settle.Acknowledge;
import io.delayqueue.store.Settle.Bury;
import io.delayqueue.store.Settle.Release;
import io.delayqueue.store.Settle.Retry;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A claim in the hands of a receiver. */
final class Pulled implements PulledDelivery {

    private static final Duration LONGEST_LEASE = Duration.ofDays(1);

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

    /** When the receiver got it, by the monotonic clock. */
    long takenAt() {
        return takenAt;
    }

    Duration sinceSent(long nowMicros) {
        return Duration.ofNanos(Math.max(0, nowMicros - sentAt().toEpochMilli() * 1000) * 1000);
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
        if (delay.isNegative()) {
            throw new IllegalArgumentException("A retry's delay is zero or more, but is " + delay);
        }
        Failure failure = new Failure("retry", reason);
        Integer own = envelope.limits().maxAttempts();
        int permitted = own == null ? tools.settings().maxAttempts() : own;
        return settle(
                claim.attempt() >= permitted
                        ? new Bury(claim.id(), claim.token(), DeathCause.ATTEMPTS_SPENT, failure)
                        : new Retry(claim.id(), claim.token(), delay, failure));
    }

    @Override
    public CompletableFuture<Boolean> bury(String reason) {
        return settle(new Bury(claim.id(), claim.token(), DeathCause.BURIED, new Failure("bury", reason)));
    }

    @Override
    public CompletableFuture<Boolean> extend(Duration time) {
        if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(LONGEST_LEASE) > 0) {
            throw new IllegalArgumentException("A lease is extended by 1 s to 1 d, but not by " + time);
        }
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

    /** Hands it back as if it had not been claimed. */
    void release() {
        CompletableFuture<?> unused = settle(new Release(claim.id(), claim.token()));
    }

    private CompletableFuture<Boolean> settle(Settle settle) {
        return settled.compareAndSet(false, true)
                ? lane.submit(settle, this)
                : CompletableFuture.completedFuture(false);
    }
}
