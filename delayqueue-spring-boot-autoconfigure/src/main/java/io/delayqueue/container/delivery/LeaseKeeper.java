package io.delayqueue.container.delivery;

import io.delayqueue.store.Renewal;
import io.delayqueue.store.StepRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Knows which deliveries are open and when their leases want renewal: when two thirds are left, and before a delivery
 * starts that has been waiting. Deliveries are added and renewed by the step, the rest may come from any thread.
 */
final class LeaseKeeper {

    private final Set<ClaimedDelivery> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger size = new AtomicInteger();
    private final Queue<Extension> extensions = new ConcurrentLinkedQueue<>();
    private final ClaimBudget.Share share;
    private final long handlingNanos;
    private final long confirmNanos;
    private volatile boolean confirmWanted;
    private volatile long nextRenewal = Long.MAX_VALUE;

    /** A lease to be prolonged on request. */
    record Extension(ClaimedDelivery delivery, Duration time, CompletableFuture<Boolean> told) {}

    /** A renewal, whose it is, and who wants to be told. */
    record Due(
            ClaimedDelivery delivery,
            Renewal renewal,
            @Nullable CompletableFuture<Boolean> told) {}

    LeaseKeeper(ClaimBudget.Share share, Duration handlingTime, Duration confirmAfter) {
        this.share = share;
        this.handlingNanos = handlingTime.toNanos();
        this.confirmNanos = confirmAfter.toNanos();
    }

    void add(List<ClaimedDelivery> deliveries) {
        for (ClaimedDelivery delivery : deliveries) {
            open.add(delivery);
            planFor(renewalAt(delivery));
        }
        size.addAndGet(deliveries.size());
        share.claimed(deliveries.size());
    }

    private synchronized void planFor(long at) {
        if (nextRenewal == Long.MAX_VALUE || at - nextRenewal < 0) {
            nextRenewal = at;
        }
    }

    /** The delivery was answered, or lost before it started; one that is handled is open until its answer. */
    void remove(ClaimedDelivery delivery) {
        if (open.remove(delivery)) {
            size.decrementAndGet();
            share.freed(1);
        }
    }

    int size() {
        return size.get();
    }

    Set<ClaimedDelivery> open() {
        return open;
    }

    /** Confirms with the next step the leases of those that wait. */
    void wantConfirmation() {
        confirmWanted = true;
    }

    boolean isConfirmationWanted() {
        return confirmWanted;
    }

    void extend(Extension extension) {
        extensions.add(extension);
    }

    List<Extension> takeExtensions() {
        List<Extension> taken = new ArrayList<>();
        for (Extension next = extensions.poll(); next != null; next = extensions.poll()) {
            taken.add(next);
        }
        return taken;
    }

    /** Whether a delivery may start without asking: confirmed a moment ago, and the lease surely held. */
    boolean mayStart(ClaimedDelivery delivery, long now) {
        return now - delivery.heardAt() < confirmNanos && now - delivery.leaseDeadline() < 0;
    }

    /** When the next renewal is wanted, by the monotonic clock; {@link Long#MAX_VALUE} for never. */
    long nextRenewal() {
        return nextRenewal;
    }

    boolean hasExtensions() {
        return !extensions.isEmpty();
    }

    boolean hasWork(long now) {
        return confirmWanted || hasExtensions() || (nextRenewal != Long.MAX_VALUE && now - nextRenewal >= 0);
    }

    /** What the next step is to renew. */
    List<Due> take(long now) {
        if (!hasWork(now)) {
            return List.of();
        }
        List<Due> due = new ArrayList<>();
        Map<ClaimedDelivery, Duration> extended = extensions(now, due);
        if (due.size() == StepRequest.MAX_BATCH) {
            return due;
        }
        boolean confirm = confirmWanted;
        confirmWanted = false;
        long next = Long.MAX_VALUE;
        for (ClaimedDelivery delivery : open) {
            boolean wanted = !extended.containsKey(delivery)
                    && (wantsRenewal(delivery, now) || (confirm && wantsConfirmation(delivery, now)));
            if (wanted && due.size() < StepRequest.MAX_BATCH) {
                due.add(new Due(delivery, renewal(delivery, delivery.lease()), null));
            } else if (wanted) {
                next = now;
                confirmWanted = confirm;
            } else if (isKept(delivery, now) && !extended.containsKey(delivery)) {
                long at = renewalAt(delivery);
                next = next == Long.MAX_VALUE || at - next < 0 ? at : next;
            }
        }
        nextRenewal = next;
        return due;
    }

    /** All extensions of one delivery ask for the longest of them, and none shortens its lease. */
    private Map<ClaimedDelivery, Duration> extensions(long now, List<Due> due) {
        if (extensions.isEmpty()) {
            return Map.of();
        }
        List<Extension> taken = new ArrayList<>();
        IdentityHashMap<ClaimedDelivery, Duration> longest = new IdentityHashMap<>();
        for (Extension next; taken.size() < StepRequest.MAX_BATCH && (next = extensions.poll()) != null; ) {
            taken.add(next);
            ClaimedDelivery delivery = next.delivery();
            Duration least = Duration.ofNanos(Math.max(delivery.leaseDeadline() - now, delivery.baseLeaseNanos()));
            longest.merge(delivery, longer(next.time(), least), LeaseKeeper::longer);
        }
        for (Extension each : taken) {
            ClaimedDelivery delivery = each.delivery();
            due.add(new Due(delivery, renewal(delivery, longest.getOrDefault(delivery, each.time())), each.told()));
        }
        return longest;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    private boolean wantsRenewal(ClaimedDelivery delivery, long now) {
        return isKept(delivery, now) && now - renewalAt(delivery) >= 0;
    }

    private boolean wantsConfirmation(ClaimedDelivery delivery, long now) {
        return !delivery.isStarted() && isKept(delivery, now) && now - delivery.heardAt() >= confirmNanos / 2;
    }

    private boolean isKept(ClaimedDelivery delivery, long now) {
        return !delivery.isAnswered()
                && !delivery.isLost()
                && (!delivery.isStarted() || now - delivery.startedAt() < handlingNanos);
    }

    private static long renewalAt(ClaimedDelivery delivery) {
        return delivery.leaseDeadline() - delivery.baseLeaseNanos() / 3 * 2;
    }

    private static Renewal renewal(ClaimedDelivery delivery, Duration time) {
        return new Renewal(delivery.id(), delivery.claim().token(), time);
    }

    /** The renewals arrived; those that were not lost hold from the moment the request was sent. */
    void renewed(List<Due> renewals, long sentAt, long heardAt) {
        for (Due due : renewals) {
            if (!due.delivery().isLost()) {
                due.delivery().confirmed(sentAt, heardAt, due.renewal().lease().toNanos());
                planFor(renewalAt(due.delivery()));
            }
        }
    }
}
