package io.delayqueue.consume;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Shard;
import io.delayqueue.store.Claim;
import io.delayqueue.store.PendingSettlement;
import io.delayqueue.store.RedisClock;
import io.delayqueue.store.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A claimed message under its lease, from the claim to the settlement. It is settled once: a compare-and-set decides
 * which settlement is the first, and a later one yields false. Its lease lasts at least until a time of the monotonic
 * clock, which only moves forward, because Redis shortens no lease. Thread-safe.
 *
 * <p>Subclasses send settlements and extensions.
 */
public abstract class LeasedMessage implements Acknowledgement, PendingSettlement.DeliveryDetails {

    private static final AtomicReferenceFieldUpdater<LeasedMessage, Settlement> SETTLEMENT =
            AtomicReferenceFieldUpdater.newUpdater(LeasedMessage.class, Settlement.class, "settlement");
    private static final AtomicLongFieldUpdater<LeasedMessage> LEASE_DEADLINE =
            AtomicLongFieldUpdater.newUpdater(LeasedMessage.class, "leaseDeadline");

    private final RedisClock clock;
    private final Shard shard;
    private final Claim claim;
    private final Limits limits;
    private final long leaseNanos;
    private volatile long leaseDeadline;
    private volatile long startedAt;
    private volatile @Nullable Settlement settlement;
    private @Nullable Envelope envelope;

    /**
     * The limits of messages without limits of their own.
     *
     * @param lease length of the lease
     * @param maxAttempts permitted attempts, 1 or more
     * @param maxPostponements permitted postponements, 0 for unlimited; no message has a limit of its own
     */
    public record Limits(Duration lease, int maxAttempts, int maxPostponements) {}

    /**
     * Creates a message from a claim.
     *
     * @param clock of the Redis that has the message
     * @param polledAt when the poll was sent, by the monotonic clock; the lease starts here or later
     */
    protected LeasedMessage(RedisClock clock, Shard shard, Claim claim, Limits limits, long polledAt) {
        this.clock = clock;
        this.shard = shard;
        this.claim = claim;
        this.limits = limits;
        this.leaseNanos = lease(claim, limits.lease()).toNanos();
        this.leaseDeadline = polledAt + leaseNanos;
    }

    private static Duration lease(Claim claim, Duration lease) {
        if (claim.hasOwnLimits()) {
            try {
                Duration own = claim.envelope().limits().lease();
                return own == null ? lease : own;
            } catch (RuntimeException unreadable) {
                return lease; // whoever reads the envelope reports the failure
            }
        }
        return lease;
    }

    /** The claim. */
    public final Claim claim() {
        return claim;
    }

    /**
     * The stored envelope. The first call must happen before other threads see this message.
     *
     * @throws io.delayqueue.store.UnreadableMessageException if the message cannot be read
     */
    public final Envelope envelope() {
        Envelope read = envelope;
        if (read == null) {
            read = claim.envelope();
            envelope = read;
        }
        return read;
    }

    // ---- lease -----------------------------------------------------------------------------------------------------

    /** Length of the lease at the claim and after each renewal, in nanoseconds. */
    public final long leaseNanos() {
        return leaseNanos;
    }

    /** The earliest time at which the lease can end, by the monotonic clock. */
    public final long leaseDeadline() {
        return leaseDeadline;
    }

    /** Records that Redis accepted a renewal or extension, which was sent at {@code polledAt}. */
    protected final void renewed(long polledAt, long lengthNanos) {
        LEASE_DEADLINE.accumulateAndGet(this, polledAt + lengthNanos, (a, b) -> a - b > 0 ? a : b);
    }

    /** When the lease ends unless it is renewed, by Redis' clock. */
    public final Instant leaseEnd() {
        return clock.at(leaseDeadline);
    }

    /** Redis' clock. */
    protected final RedisClock clock() {
        return clock;
    }

    /** Records that a handler or receiver got the message. */
    public final void started(long now) {
        startedAt = now == 0 ? 1 : now; // 0 means not started
    }

    /** Whether a handler or receiver got the message. */
    public final boolean isStarted() {
        return startedAt != 0;
    }

    /** When a handler or receiver got the message, by the monotonic clock. */
    public final long startedAt() {
        return startedAt;
    }

    // ---- settlement ------------------------------------------------------------------------------------------------

    /**
     * Sends the settlement. Called once.
     *
     * @param failure of the attempt, if it failed
     * @return completes with whether Redis accepted it
     */
    protected abstract CompletableFuture<Boolean> send(Settlement first, @Nullable Throwable failure);

    /** Sends an extension. */
    protected abstract CompletableFuture<Boolean> send(Settlement.Extend extension);

    /** Settles the message, unless it is settled. */
    public final CompletableFuture<Boolean> settle(Settlement how) {
        return settle(how, null);
    }

    /** Settles the message after a failed attempt, unless it is settled. */
    public final CompletableFuture<Boolean> settle(Settlement how, @Nullable Throwable failure) {
        return SETTLEMENT.compareAndSet(this, null, how)
                ? send(how, failure)
                : CompletableFuture.completedFuture(false);
    }

    /** The settlement; null if there is none yet. */
    public final @Nullable Settlement settlement() {
        return settlement;
    }

    /** Whether the message is settled. Redis may not have replied yet. */
    public final boolean isSettled() {
        return settlement != null;
    }

    /** Number of permitted attempts: the message's limit, or else the consumer's. */
    public final int maxAttempts() {
        Integer own = envelope().limits().maxAttempts();
        return own == null ? limits.maxAttempts() : own;
    }

    /** The settlement for a request to retry: dead-letters the message after the last permitted attempt. */
    protected final Settlement retryOrDeadLetter(Duration delay, String reason) {
        Settlement.Retry.checkDelay(delay);
        return claim.retryOrDeadLetter(
                delay, new Failure("retry", Objects.requireNonNull(reason, "reason")), maxAttempts());
    }

    @Override
    public final CompletableFuture<Boolean> acknowledge() {
        return settle(new Settlement.Acknowledge(id(), claim.token()));
    }

    @Override
    public final CompletableFuture<Boolean> postpone(Duration delay) {
        return settle(claim.postpone(delay, limits.maxPostponements(), false));
    }

    @Override
    public final CompletableFuture<Boolean> letOthersPass(Duration delay) {
        return settle(claim.postpone(delay, limits.maxPostponements(), true));
    }

    @Override
    public final CompletableFuture<Boolean> deadLetter(String reason) {
        return settle(new Settlement.ToDeadLetters(id(), claim.token(), Objects.requireNonNull(reason, "reason")));
    }

    /** Releases the message: it is due as before, and the attempt does not count. */
    public final CompletableFuture<Boolean> release() {
        return settle(new Settlement.Release(id(), claim.token()));
    }

    @Override
    public final CompletableFuture<Boolean> holdTopic(Duration time) {
        Settlement.Release.checkHold(time);
        return settle(Settlement.Release.holding(id(), claim.token(), time).forShard(shard));
    }

    @Override
    public final CompletableFuture<Boolean> extendLease(Duration time) {
        Settlement.Extend.checkTime(time);
        return isSettled()
                ? CompletableFuture.completedFuture(false)
                : send(new Settlement.Extend(id(), claim.token(), time));
    }

    @Override
    public final @Nullable Duration handling(long givenAt, Instant settledAt) {
        return isStarted() ? Duration.ofNanos(givenAt - startedAt) : null;
    }

    // ---- facts -----------------------------------------------------------------------------------------------------

    /** The topic. */
    public final String topic() {
        return shard.topic();
    }

    /** The message's id. */
    public final String id() {
        return claim.id();
    }

    /** The message's key; null if it has none. */
    public final @Nullable String key() {
        return envelope().key();
    }

    /** The slot of an occurrence of a schedule; null for any other message. */
    public final @Nullable Instant slot() {
        return envelope().slot();
    }

    @Override
    public final int attempt() {
        return claim.attempt();
    }

    /** How often the message was postponed. */
    public final int postponements() {
        return claim.postponements();
    }

    /** Number of leases that ended without a settlement since the last settlement. */
    public final int crashes() {
        return claim.crashes();
    }

    /** The due time of this attempt, by Redis' clock. */
    public final Instant dueAt() {
        return Instant.ofEpochMilli(claim.dueMillis());
    }

    @Override
    public final Instant sentAt() {
        return envelope().sentAt();
    }

    /** The headers, unmodifiable. */
    public final Map<String, String> headers() {
        return envelope().headers();
    }

    /** The stored payload; must not be changed. */
    public final byte[] body() {
        return envelope().payload();
    }

    /** A summary of the last failure; null if no attempt has failed. */
    public final @Nullable String lastFailure() {
        return claim.lastFailure();
    }
}
