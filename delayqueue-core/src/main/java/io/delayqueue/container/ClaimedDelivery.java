package io.delayqueue.container;

import io.delayqueue.consume.LeasedMessage;
import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.store.Claim;
import io.delayqueue.store.RedisClock;
import io.delayqueue.store.Settlement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A delivery of a listener. Its lease is renewed, and confirmed before it starts after a long wait. */
final class ClaimedDelivery extends LeasedMessage implements Delivery {

    private final OpenDeliveries deliveries;
    private volatile long confirmedAt;
    private volatile long repliedAt;
    private volatile long confirmationRequiredAt;
    private volatile boolean lost;
    private volatile boolean leaseEnded;
    private @Nullable Object payload;
    /** The thread that runs the handler; null if none does. */
    private volatile @Nullable Thread thread;

    final long claimedAt;
    /** The period of the claim budget in which it was claimed. Set before other threads see this delivery. */
    int claimedIn;
    /** Learns of the settlement of a suspect; null for other deliveries. Set before other threads see this delivery. */
    @Nullable
    Suspects suspects;

    /**
     * Creates a delivery from a claim.
     *
     * @param deliveries sends its settlement and extensions
     * @param options the listener's options; their limits apply unless the message has its own
     * @param polledAt when the poll was sent, by the monotonic clock; the lease starts here
     * @param repliedAt when the reply arrived, by the monotonic clock
     */
    ClaimedDelivery(
            OpenDeliveries deliveries,
            RedisClock clock,
            Shard shard,
            Claim claim,
            ListenerOptions options,
            long polledAt,
            long repliedAt) {
        super(
                clock,
                shard,
                claim,
                new Limits(options.lease(), options.maxAttempts(), options.maxPostponements()),
                polledAt);
        this.deliveries = deliveries;
        this.confirmedAt = polledAt;
        this.confirmationRequiredAt = polledAt;
        this.repliedAt = repliedAt;
        this.claimedAt = polledAt;
    }

    /**
     * Sets the thread that runs the handler.
     *
     * @param current null when the handler has returned
     */
    void runsOn(@Nullable Thread current) {
        thread = current;
    }

    /** The frames of the thread that runs the handler, the innermost first; empty if no thread does. */
    List<String> stack(int maxFrames) {
        Thread running = thread;
        if (running == null) {
            return List.of();
        }
        List<String> frames = Arrays.stream(running.getStackTrace())
                .limit(maxFrames)
                .map(StackTraceElement::toString)
                .toList();
        return thread == running ? frames : List.of(); // else it is the stack of another handler
    }

    void converted(Object value) {
        payload = value;
    }

    // ---- lease -----------------------------------------------------------------------------------------------------

    /** Records that a request, sent at {@code polledAt}, renewed the lease. */
    void confirmed(long polledAt, long repliedAt, long leaseNanos) {
        this.confirmedAt = polledAt;
        this.repliedAt = repliedAt;
        renewed(polledAt, leaseNanos);
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

    /** Returns the settlement that renews the lease. After an extension the current lease may be longer. */
    Settlement.Extend renewal() {
        return new Settlement.Extend(id(), claim().token(), Duration.ofNanos(leaseNanos()));
    }

    /** When two thirds of the lease are left, by the monotonic clock: the next renewal is then due. */
    long renewalAt() {
        return leaseDeadline() - leaseNanos() / 3 * 2;
    }

    void lose() {
        lost = true;
    }

    boolean isLost() {
        return lost;
    }

    /** How long ago the message was due, by Redis' clock. */
    long latenessNanos() {
        return -clock().nanosUntil(claim().dueMillis());
    }

    // ---- settlement ------------------------------------------------------------------------------------------------

    @Override
    protected CompletableFuture<Boolean> send(Settlement first, @Nullable Throwable failure) {
        return deliveries.settle(this, first, failure);
    }

    @Override
    protected CompletableFuture<Boolean> send(Settlement.Extend extension) {
        return deliveries.extend(this, extension);
    }

    @Override
    public CompletableFuture<Boolean> retry(Duration delay) {
        return settle(retryOrDeadLetter(delay, "requested by the handler"));
    }

    // ---- what a handler sees ---------------------------------------------------------------------------------------

    @Override
    public String sendId() {
        return envelope().sendId();
    }

    @Override
    public Object payload() {
        if (payload == null) {
            throw new IllegalStateException("The payload of message " + Printable.of(id()) + " is not converted yet");
        }
        return payload;
    }

    @Override
    public boolean held() {
        if (!leaseEnded && (lost || clock().isPast(leaseDeadline()))) {
            leaseEnded = true;
        }
        return !leaseEnded;
    }

    @Override
    public boolean postponed() {
        return settlement() instanceof Settlement.Postpone;
    }

    @Override
    public Acknowledgement acknowledgement() {
        return this;
    }
}
