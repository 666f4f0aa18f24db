package io.delayqueue.container.delivery;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.Failure;
import io.delayqueue.store.Claim;
import io.delayqueue.store.Settle;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A delivery from claim to settle. Its one transition, from open to answered, is made by compare-and-set: the first
 * answer counts.
 */
public final class ClaimedDelivery implements Delivery, Acknowledgement {

    private static final AtomicReferenceFieldUpdater<ClaimedDelivery, Settle> ANSWER =
            AtomicReferenceFieldUpdater.newUpdater(ClaimedDelivery.class, Settle.class, "answer");

    private static final Duration LONGEST_EXTENSION = Duration.ofDays(365);

    private final DeliveryDesk desk;
    private final String topic;
    private final Claim claim;
    private final long baseLeaseNanos;
    private volatile long leaseNanos;
    private volatile long confirmedAt;
    private volatile long heardAt;
    private volatile boolean lost;
    private volatile boolean lapsed;
    private volatile long startedAt;
    private volatile @Nullable Settle answer;
    private @Nullable Envelope envelope;
    private @Nullable Object payload;
    private @Nullable CompletableFuture<Boolean> told;
    private @Nullable Boolean accepted;
    final long claimedAt;

    ClaimedDelivery(DeliveryDesk desk, String topic, Claim claim, long leaseNanos, long sentAt, long heardAt) {
        this.desk = desk;
        this.topic = topic;
        this.claim = claim;
        this.baseLeaseNanos = leaseNanos;
        this.leaseNanos = leaseNanos;
        this.confirmedAt = sentAt;
        this.heardAt = heardAt;
        this.claimedAt = sentAt;
    }

    /**
     * What a step claimed.
     *
     * @param lease for which it was claimed where the message doesn't say
     * @param sentAt when the step was sent, by the monotonic clock: the lease counts from here
     * @param heardAt when its reply arrived
     */
    static ClaimedDelivery of(DeliveryDesk desk, String topic, Claim claim, Duration lease, long sentAt, long heardAt) {
        Duration own = null;
        if (claim.fixesLimits()) {
            try {
                own = claim.envelope().limits().lease();
            } catch (RuntimeException unreadable) {
                own = lease; // the pipeline will say what is wrong with it
            }
        }
        return new ClaimedDelivery(desk, topic, claim, (own == null ? lease : own).toNanos(), sentAt, heardAt);
    }

    Claim claim() {
        return claim;
    }

    /** Reads what is stored; done once, before anything else asks for it. */
    Envelope open() {
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

    /** The lease was held when a request that was sent at this moment arrived. */
    void confirmed(long sentAt, long heardAt, long leaseNanos) {
        this.confirmedAt = sentAt;
        this.heardAt = heardAt;
        this.leaseNanos = leaseNanos;
    }

    /** When Redis was last heard to say that the lease is held. */
    long heardAt() {
        return heardAt;
    }

    /** Until when the lease is surely held, by the monotonic clock. */
    long leaseDeadline() {
        return confirmedAt + leaseNanos;
    }

    /** The lease that every renewal asks for; an extension may have made this one longer. */
    Duration lease() {
        return Duration.ofNanos(baseLeaseNanos);
    }

    long baseLeaseNanos() {
        return baseLeaseNanos;
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

    /** How late it is now, by Redis' clock. */
    long latenessNanos() {
        return desk.latenessNanos(claim.dueMillis());
    }

    long startedAt() {
        return startedAt;
    }

    // ---- answer ----------------------------------------------------------------------------------------------------

    /** Gives the answer unless one was given. */
    boolean answer(Settle settle) {
        return answer(settle, null);
    }

    /** The same to an attempt that failed. */
    boolean answer(Settle settle, @Nullable Throwable failure) {
        if (!ANSWER.compareAndSet(this, null, settle)) {
            return false;
        }
        desk.answered(this, settle, failure);
        return true;
    }

    boolean isAnswered() {
        return answer != null;
    }

    /** What Redis says of the answer. */
    synchronized CompletableFuture<Boolean> told() {
        if (told == null) {
            told = accepted == null ? new CompletableFuture<>() : CompletableFuture.completedFuture(accepted);
        }
        return told;
    }

    /**
     * Redis has said what became of the answer.
     *
     * @return who waits for it, or null: whoever asks later is told at once
     */
    synchronized @Nullable CompletableFuture<Boolean> heard(boolean wasAccepted) {
        accepted = wasAccepted;
        return told;
    }

    @Override
    public CompletableFuture<Boolean> acknowledge() {
        CompletableFuture<Boolean> future = told();
        answer(new Settle.Acknowledge(id(), claim.token()));
        return future;
    }

    @Override
    public CompletableFuture<Boolean> retry(Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("A retry's delay is zero or more, but is " + delay);
        }
        CompletableFuture<Boolean> future = told();
        answer(desk.retryOnDemand(this, delay));
        return future;
    }

    @Override
    public CompletableFuture<Boolean> bury(String reason) {
        Failure failure = new Failure("buried", Objects.requireNonNull(reason, "reason"));
        CompletableFuture<Boolean> future = told();
        answer(new Settle.Bury(id(), claim.token(), DeathCause.BURIED, failure));
        return future;
    }

    @Override
    public CompletableFuture<Boolean> extend(Duration time) {
        if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(LONGEST_EXTENSION) > 0) {
            throw new IllegalArgumentException("A lease is extended by between 1 s and 365 d, but by " + time);
        }
        return desk.extend(this, time);
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
    public Instant dueAt() {
        return Instant.ofEpochMilli(claim.dueMillis());
    }

    @Override
    public Instant sentAt() {
        return open().sentAt();
    }

    @Override
    public Map<String, String> headers() {
        return open().headers();
    }

    @Override
    public Object payload() {
        if (payload == null) {
            throw new IllegalStateException("The payload of " + id() + " has not been converted yet");
        }
        return Objects.requireNonNull(payload);
    }

    @Override
    public byte[] body() {
        return open().payload();
    }

    @Override
    public @Nullable String lastFailure() {
        return claim.lastFailure();
    }

    @Override
    public Instant leaseEnd() {
        return desk.wallClock(leaseDeadline());
    }

    @Override
    public boolean held() {
        if (!lapsed && (lost || desk.isPast(leaseDeadline()))) {
            lapsed = true;
        }
        return !lapsed;
    }

    @Override
    public Acknowledgement acknowledgement() {
        return this;
    }
}
