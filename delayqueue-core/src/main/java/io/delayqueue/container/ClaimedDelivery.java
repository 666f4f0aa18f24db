package io.delayqueue.container;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Printable;
import io.delayqueue.store.Claim;
import io.delayqueue.store.PendingSettlement;
import io.delayqueue.store.RedisClock;
import io.delayqueue.store.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/** A delivery from claim to settlement. A compare-and-set settles it, so only the first settlement counts. */
final class ClaimedDelivery implements Delivery, Acknowledgement, PendingSettlement.Attempt {

    private static final AtomicReferenceFieldUpdater<ClaimedDelivery, Settlement> SETTLEMENT =
            AtomicReferenceFieldUpdater.newUpdater(ClaimedDelivery.class, Settlement.class, "settlement");

    private final Owner owner;
    private final RedisClock clock;
    private final String topic;
    private final Claim claim;
    private final ListenerOptions options;
    private final long baseLeaseNanos;
    private volatile long leaseDeadline;
    private volatile long confirmedAt;
    private volatile long repliedAt;
    private volatile long confirmationRequiredAt;
    private volatile boolean lost;
    private volatile boolean leaseEnded;
    private volatile long startedAt;
    private volatile @Nullable Settlement settlement;
    private @Nullable Envelope envelope;
    private @Nullable Object payload;
    private final CompletableFuture<Boolean> accepted = new CompletableFuture<>();
    final long claimedAt;
    /** The period of the claim budget in which it was claimed. Set before other threads see this delivery. */
    int claimedIn;

    /**
     * Creates a delivery from a claim.
     *
     * @param options the listener's options; their lease and attempts apply unless the message has its own
     * @param sentAt when the poll was sent, by the monotonic clock; the lease starts here
     * @param repliedAt when the reply arrived, by the monotonic clock
     */
    ClaimedDelivery(
            Owner owner,
            RedisClock clock,
            String topic,
            Claim claim,
            ListenerOptions options,
            long sentAt,
            long repliedAt) {
        this.owner = owner;
        this.clock = clock;
        this.topic = topic;
        this.claim = claim;
        this.options = options;
        this.baseLeaseNanos = lease(claim, options.lease()).toNanos();
        this.leaseDeadline = sentAt + baseLeaseNanos;
        this.confirmedAt = sentAt;
        this.confirmationRequiredAt = sentAt;
        this.repliedAt = repliedAt;
        this.claimedAt = sentAt;
    }

    private static Duration lease(Claim claim, Duration lease) {
        if (claim.hasOwnLimits()) {
            try {
                Duration own = claim.envelope().limits().lease();
                return own == null ? lease : own;
            } catch (RuntimeException unreadable) {
                return lease; // the pipeline reports the failure
            }
        }
        return lease;
    }

    /** Receives settlements. Thread-safe; no method blocks. */
    interface Owner {

        /**
         * Called once, when the delivery is settled.
         *
         * @param failure of the attempt, if it failed
         * @param accepted completed by the owner, with true if Redis accepted the settlement
         */
        void settled(
                ClaimedDelivery delivery,
                Settlement settlement,
                @Nullable Throwable failure,
                CompletableFuture<Boolean> accepted);

        /** Extends the lease with the next poll. */
        CompletableFuture<Boolean> extend(ClaimedDelivery delivery, Duration time);
    }

    Claim claim() {
        return claim;
    }

    /** Returns the stored envelope. The pipeline calls this first; later calls return the same envelope. */
    Envelope envelope() {
        Envelope read = envelope;
        if (read == null) {
            read = claim.envelope();
            envelope = read;
        }
        return read;
    }

    void converted(Object value) {
        payload = value;
    }

    // ---- lease -----------------------------------------------------------------------------------------------------

    /** Records that a request, sent at {@code sentAt}, renewed the lease. Only the poller's task calls this. */
    void confirmed(long sentAt, long repliedAt, long leaseNanos) {
        this.confirmedAt = sentAt;
        this.repliedAt = repliedAt;
        long until = sentAt + leaseNanos;
        if (until - leaseDeadline > 0) { // Redis never shortens a lease
            leaseDeadline = until;
        }
    }

    /**
     * Records that the message may have been cancelled or replaced. Only a request sent after {@code at} confirms the
     * lease. Called under the lock of the {@link OpenDeliveries}.
     */
    void requireConfirmation(long at) {
        if (at - confirmationRequiredAt > 0) {
            confirmationRequiredAt = at;
        }
    }

    /** Whether no request that was sent after {@link #requireConfirmation} has confirmed the lease. */
    boolean needsConfirmation() {
        return confirmationRequiredAt - confirmedAt > 0;
    }

    /** When the last reply that confirmed the lease arrived, by the monotonic clock. */
    long repliedAt() {
        return repliedAt;
    }

    /** The earliest time at which the lease can end, by the monotonic clock. */
    long leaseDeadline() {
        return leaseDeadline;
    }

    /** Returns the settlement that renews the lease. After an extension the current lease may be longer. */
    Settlement.Extend renewal() {
        return new Settlement.Extend(id(), claim.token(), Duration.ofNanos(baseLeaseNanos));
    }

    /** When two thirds of the lease are left, by the monotonic clock: the next renewal is then due. */
    long renewalAt() {
        return leaseDeadline() - baseLeaseNanos / 3 * 2;
    }

    void lose() {
        lost = true;
    }

    boolean isLost() {
        return lost;
    }

    void started(long now) {
        startedAt = now;
    }

    boolean isStarted() {
        return startedAt != 0;
    }

    /** How long ago the message was due, by Redis' clock. */
    long latenessNanos() {
        return -clock.nanosUntil(claim.dueMillis());
    }

    long startedAt() {
        return startedAt;
    }

    // ---- settlement ------------------------------------------------------------------------------------------------

    /** Settles the delivery; has no effect if it is already settled. */
    void settle(Settlement how) {
        settle(how, null);
    }

    /** Settles the delivery after a failed attempt; has no effect if it is already settled. */
    void settle(Settlement how, @Nullable Throwable failure) {
        if (SETTLEMENT.compareAndSet(this, null, how)) {
            owner.settled(this, how, failure, accepted);
        }
    }

    boolean isSettled() {
        return settlement != null;
    }

    /** Number of permitted attempts: the message's limit, or else the listener's. */
    int maxAttempts() {
        Integer own = envelope().limits().maxAttempts();
        return own == null ? options.maxAttempts() : own;
    }

    /** The settlement for a request to retry: dead-letter after the last permitted attempt. */
    Settlement retryOnDemand(Duration delay) {
        return claim.retry(delay, new Failure("retry", "requested by the handler"), maxAttempts());
    }

    @Override
    public @Nullable Duration handling(long givenAt, Instant settledAt) {
        return isStarted() ? Duration.ofNanos(givenAt - startedAt) : null;
    }

    @Override
    public CompletableFuture<Boolean> acknowledge() {
        settle(new Settlement.Acknowledge(id(), claim.token()));
        return accepted;
    }

    @Override
    public CompletableFuture<Boolean> retry(Duration delay) {
        Settlement.Retry.checkDelay(delay);
        settle(retryOnDemand(delay));
        return accepted;
    }

    @Override
    public CompletableFuture<Boolean> postpone(Duration delay) {
        settle(claim.postpone(delay, options.maxPostponements()));
        return accepted;
    }

    @Override
    public CompletableFuture<Boolean> deadLetter(String reason) {
        settle(new Settlement.ToDeadLetters(id(), claim.token(), Objects.requireNonNull(reason, "reason")));
        return accepted;
    }

    @Override
    public CompletableFuture<Boolean> extend(Duration time) {
        Settlement.Extend.checkTime(time);
        return owner.extend(this, time);
    }

    // ---- what a handler sees ---------------------------------------------------------------------------------------

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
        return envelope().sentAt();
    }

    @Override
    public String sendId() {
        return envelope().sendId();
    }

    @Override
    public Map<String, String> headers() {
        return envelope().headers();
    }

    @Override
    public Object payload() {
        if (payload == null) {
            throw new IllegalStateException("The payload of message " + Printable.of(id()) + " is not converted yet");
        }
        return Objects.requireNonNull(payload);
    }

    @Override
    public byte[] body() {
        return envelope().payload();
    }

    @Override
    public @Nullable String lastFailure() {
        return claim.lastFailure();
    }

    @Override
    public Instant leaseEnd() {
        return clock.at(leaseDeadline());
    }

    @Override
    public boolean held() {
        if (!leaseEnded && (lost || clock.isPast(leaseDeadline()))) {
            leaseEnded = true;
        }
        return !leaseEnded;
    }

    @Override
    public boolean postponed() {
        return settlement instanceof Settlement.Postpone;
    }

    @Override
    public Acknowledgement acknowledgement() {
        return this;
    }
}
