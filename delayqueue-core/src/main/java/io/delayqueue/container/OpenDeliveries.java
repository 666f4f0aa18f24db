package io.delayqueue.container;

import io.delayqueue.store.PollRequest;
import io.delayqueue.store.Settlement.Extend;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The open deliveries of a poller: those that wait for a worker, in the order of their claims, and those being handled.
 * Selects the leases to renew: those with at most two thirds left, and those of deliveries that waited and are to
 * start.
 *
 * <p>The monitor guards the waiting deliveries and the time of the last cancellation or replacement. Any thread may
 * take and remove deliveries, report cancellations and read the numbers of deliveries. Only the poller's task, which
 * never runs twice at a time, adds deliveries and renews leases, so {@link #nextRenewal} needs no lock.
 */
final class OpenDeliveries {

    private final Set<ClaimedDelivery> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger size = new AtomicInteger();
    private final ClaimBudget.Share share;
    private final LongSupplier nanoTime;
    private final long handlingNanos;
    private final long confirmNanos;
    private volatile boolean confirmRequested;
    private long nextRenewal = Long.MAX_VALUE;

    private final Deque<ClaimedDelivery> waiting = new ArrayDeque<>();
    private volatile int waitingSize;
    private long waitingBytes;
    private long cancelledOrReplacedAt;

    /** A renewal or extension of a delivery's lease. */
    record Renewal(ClaimedDelivery delivery, Extend extend) {}

    OpenDeliveries(ClaimBudget.Share share, Duration handlingTime, Duration confirmAfter, LongSupplier nanoTime) {
        this.share = share;
        this.handlingNanos = handlingTime.toNanos();
        this.confirmNanos = confirmAfter.toNanos();
        this.nanoTime = nanoTime;
        this.cancelledOrReplacedAt = nanoTime.getAsLong();
    }

    /**
     * Adds claimed deliveries, which wait for a worker. If any message was cancelled or replaced after the poll was
     * sent, Redis may have run the claim before that, so all added deliveries need confirmation before they start. Only
     * the time of the last cancellation or replacement is kept, because the number of ids is unbounded.
     */
    void add(List<ClaimedDelivery> deliveries) {
        int period = share.begin(deliveries.size());
        for (ClaimedDelivery delivery : deliveries) {
            delivery.claimedIn = period;
            open.add(delivery);
            planFor(delivery.renewalAt());
        }
        size.addAndGet(deliveries.size());
        synchronized (this) {
            for (ClaimedDelivery delivery : deliveries) {
                waiting.addLast(delivery);
                waitingBytes += delivery.claim().stored().length;
                delivery.requireConfirmation(cancelledOrReplacedAt);
                if (delivery.needsConfirmation()) {
                    confirmRequested = true;
                }
            }
            waitingSize = waiting.size();
        }
    }

    /** Adds a claimed suspect, which does not wait for a worker and is not part of the claim budget. */
    void addSuspect(ClaimedDelivery delivery) {
        open.add(delivery);
        size.incrementAndGet();
        planFor(delivery.renewalAt());
    }

    private void planFor(long at) {
        if (nextRenewal == Long.MAX_VALUE || at - nextRenewal < 0) {
            nextRenewal = at;
        }
    }

    /**
     * Removes a delivery that was settled, or was lost before it started. A started delivery is open until it is
     * settled.
     */
    void remove(ClaimedDelivery delivery) {
        if (open.remove(delivery)) {
            size.decrementAndGet();
            if (!delivery.claim().isolated()) {
                share.end(delivery.claimedIn);
            }
        }
    }

    int size() {
        return size.get();
    }

    /** The delivery whose handler has been running longest; null if none is running. */
    @Nullable
    ClaimedDelivery oldestRunning() {
        long now = nanoTime.getAsLong();
        return open.stream()
                .filter(ClaimedDelivery::isStarted)
                .max(Comparator.comparingLong(delivery -> now - delivery.startedAt()))
                .orElse(null);
    }

    // ---- waiting for a worker --------------------------------------------------------------------------------------

    /**
     * Takes the first waiting delivery if it is lost or may start without confirmation. Otherwise leaves it, and the
     * next poll confirms it. The monitor prevents {@link #cancelledOrReplaced} between the check and the removal.
     *
     * @param any whether to take the first delivery in any case
     */
    @Nullable
    ClaimedDelivery takeFirst(boolean any, long now) {
        synchronized (this) {
            ClaimedDelivery first = waiting.peekFirst();
            if (first == null) {
                return null;
            }
            if (any || first.isLost() || mayStart(first, now)) {
                waiting.removeFirst();
                waitingBytes -= first.claim().stored().length;
                waitingSize = waiting.size();
                return first;
            }
        }
        confirmRequested = true;
        return null;
    }

    /**
     * Whether a delivery may start without confirmation: it was confirmed recently and after the last cancellation, and
     * its lease has not ended.
     */
    private boolean mayStart(ClaimedDelivery delivery, long now) {
        return !delivery.needsConfirmation()
                && now - delivery.repliedAt() < confirmNanos
                && now - delivery.leaseDeadline() < 0;
    }

    /** Whether a claimed suspect may start without confirmation. */
    synchronized boolean mayStartSuspect(ClaimedDelivery delivery, long now) {
        delivery.requireConfirmation(cancelledOrReplacedAt);
        return !delivery.isLost() && mayStart(delivery, now);
    }

    /** Takes the waiting deliveries that meet the condition. */
    synchronized List<ClaimedDelivery> takeIf(Predicate<ClaimedDelivery> condition) {
        List<ClaimedDelivery> taken = new ArrayList<>();
        waiting.removeIf(delivery -> {
            boolean fits = condition.test(delivery);
            if (fits) {
                taken.add(delivery);
                waitingBytes -= delivery.claim().stored().length;
            }
            return fits;
        });
        waitingSize = waiting.size();
        return taken;
    }

    /**
     * Records that a message was cancelled or replaced. Its waiting deliveries, and all deliveries claimed by a poll
     * that was sent before, need confirmation before they start.
     *
     * @param id of the message; empty for all messages
     * @return whether the next poll is to confirm a waiting delivery
     */
    synchronized boolean cancelledOrReplaced(String id) {
        cancelledOrReplacedAt = nanoTime.getAsLong();
        boolean any = false;
        for (ClaimedDelivery delivery : waiting) {
            if (id.isEmpty() || delivery.id().equals(id)) {
                delivery.requireConfirmation(cancelledOrReplacedAt);
                confirmRequested = true;
                any = true;
            }
        }
        return any;
    }

    /** When the first waiting delivery was claimed, by the monotonic clock; {@link Long#MAX_VALUE} if none waits. */
    synchronized long oldestClaim() {
        ClaimedDelivery first = waiting.peekFirst();
        return first == null ? Long.MAX_VALUE : first.claimedAt;
    }

    synchronized long waitingBytes() {
        return waitingBytes;
    }

    int waiting() {
        return waitingSize;
    }

    /** Whether waiting deliveries can start without confirmation from Redis. */
    boolean hasStartable() {
        return waitingSize > 0 && !confirmRequested;
    }

    // ---- leases ----------------------------------------------------------------------------------------------------

    /** Whether the next poll confirms the leases of the waiting deliveries. */
    boolean isConfirmationRequested() {
        return confirmRequested;
    }

    /** When the next renewal is due, by the monotonic clock; {@link Long#MAX_VALUE} for never. */
    long nextRenewal() {
        return nextRenewal;
    }

    boolean needsRenewal(long now) {
        return confirmRequested || (nextRenewal != Long.MAX_VALUE && now - nextRenewal >= 0);
    }

    /** Returns the renewals for the next poll, at most {@link PollRequest#MAX_BATCH}. */
    List<Renewal> takeRenewals(long now) {
        if (!needsRenewal(now)) {
            return List.of();
        }
        List<Renewal> taken = new ArrayList<>();
        boolean confirm = confirmRequested;
        if (confirm) { // otherwise a reset could only erase a request that was made since the read
            confirmRequested = false; // before the deliveries are read: a later request concerns the next poll
        }
        long next = Long.MAX_VALUE;
        for (ClaimedDelivery delivery : open) {
            boolean wanted = wantsRenewal(delivery, now) || (confirm && wantsConfirmation(delivery, now));
            if (wanted && taken.size() < PollRequest.MAX_BATCH) {
                taken.add(new Renewal(delivery, delivery.renewal()));
            } else if (wanted) {
                next = now;
                if (confirm) { // the next poll confirms the rest
                    confirmRequested = true;
                }
            } else if (keepsLease(delivery, now)) {
                long at = delivery.renewalAt();
                next = next == Long.MAX_VALUE || at - next < 0 ? at : next;
            }
        }
        nextRenewal = next;
        return taken;
    }

    private boolean wantsRenewal(ClaimedDelivery delivery, long now) {
        return keepsLease(delivery, now) && now - delivery.renewalAt() >= 0;
    }

    private boolean wantsConfirmation(ClaimedDelivery delivery, long now) {
        return !delivery.isStarted()
                && keepsLease(delivery, now)
                && (delivery.needsConfirmation() || now - delivery.repliedAt() >= confirmNanos / 2);
    }

    private boolean keepsLease(ClaimedDelivery delivery, long now) {
        return !delivery.isSettled()
                && !delivery.isLost()
                && (!delivery.isStarted() || now - delivery.startedAt() < handlingNanos);
    }

    /**
     * Applies a reply to renewals and extensions. The leases that are not lost run from the time at which the request
     * was sent. A waiting delivery whose lease is lost is removed.
     *
     * @param lost the rejected renewals, by identity
     * @return the deliveries whose lease is lost
     */
    List<ClaimedDelivery> renewed(List<Renewal> renewals, Set<Object> lost, long sentAt, long repliedAt) {
        List<ClaimedDelivery> lostDeliveries = new ArrayList<>(lost.size());
        for (Renewal renewal : renewals) {
            ClaimedDelivery delivery = renewal.delivery();
            if (lost.contains(renewal.extend())) {
                delivery.lose();
                lostDeliveries.add(delivery);
            } else if (!delivery.isLost()) {
                delivery.confirmed(sentAt, repliedAt, renewal.extend().lease().toNanos());
                planFor(delivery.renewalAt());
            }
        }
        if (!lostDeliveries.isEmpty()) {
            takeIf(ClaimedDelivery::isLost).forEach(this::remove);
        }
        return lostDeliveries;
    }
}
