package io.delayqueue.container;

import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.store.PendingSettlement;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.PollRequest.Reclaiming;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.Settlement.Extend;
import io.delayqueue.store.ShardSession;
import io.delayqueue.store.ShardSession.Poll;
import io.delayqueue.store.UnreadableMessageException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The open deliveries of a listener's shard: those that wait for a worker, in the order of their claims, and those being
 * handled. A settlement closes a delivery. Leases are renewed when two thirds are left, and confirmed before a delivery
 * starts that has waited. The next poll sends renewals, extensions and settlements; the poller's task is woken for it.
 *
 * <p>Any thread may take, settle and extend deliveries, report cancellations and read the numbers of deliveries. Only
 * the poller's task, which never runs twice at a time, adds deliveries, begins polls and applies replies. The monitor
 * guards the waiting deliveries and the time of the last cancellation or replacement; no other lock is taken inside it.
 */
final class OpenDeliveries {

    /** Number of waiting settlements that are sent at once. */
    private static final int URGENT_SETTLEMENTS = PollRequest.MAX_BATCH / 2;

    private final ShardSession session;
    private final ClaimBudget.Share share;
    private final AttemptLog attempts;
    private final FailsAlone failsAlone;
    private final LongSupplier nanoTime;
    private final Duration linger;
    private final long prefetchNanos;
    private final long handlingNanos;
    private final long confirmNanos;
    private final TaskHandle task;
    private final BooleanSupplier claiming;

    private final Set<ClaimedDelivery> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger size = new AtomicInteger();
    private final AtomicBoolean confirmRequested = new AtomicBoolean();
    /** Why settlements fail because the task does not run any more; null before. */
    private volatile @Nullable Throwable abandonedFor;

    // used by the task only
    private long nextRenewal = Long.MAX_VALUE;
    /** The renewals and extensions of the poll in progress. */
    private List<Renewal> renewals = List.of();

    // guarded by this
    private final Deque<ClaimedDelivery> waiting = new ArrayDeque<>();
    private volatile int waitingSize; // read without the monitor
    private long waitingBytes;
    private long cancelledOrReplacedAt;

    /** A renewal or extension of a delivery's lease. */
    private record Renewal(ClaimedDelivery delivery, Extend extend) {}

    /**
     * Creates an empty set.
     *
     * @param share the poller's share of the claim budget
     * @param task the poller's task
     * @param claiming whether the poller claims messages; deliveries start only while it does
     */
    OpenDeliveries(
            EngineSettings settings,
            LongSupplier nanoTime,
            ListenerOptions options,
            ShardSession session,
            ClaimBudget.Share share,
            AttemptLog attempts,
            FailsAlone failsAlone,
            TaskHandle task,
            BooleanSupplier claiming) {
        this.session = session;
        this.share = share;
        this.attempts = attempts;
        this.failsAlone = failsAlone;
        this.nanoTime = nanoTime;
        this.linger = settings.linger();
        this.prefetchNanos = options.prefetchTime().toNanos();
        this.handlingNanos = options.handlingTime().toNanos();
        this.confirmNanos = settings.confirmAfter().toNanos();
        this.task = task;
        this.claiming = claiming;
        this.cancelledOrReplacedAt = nanoTime.getAsLong();
    }

    /** Number of open deliveries. */
    int size() {
        return size.get();
    }

    /** Whether no delivery is open and no settlement waits for its reply. A claim may still wait for its reply. */
    boolean hasSettledAll() {
        return size() == 0 && !session.hasPendingSettlements();
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

    /** When the handler that was started last on a permit was started, by the monotonic clock; null if none is running. */
    @Nullable
    Long lastStart() {
        long now = nanoTime.getAsLong();
        return open.stream()
                .filter(delivery -> delivery.isStarted() && !delivery.claim().isolated())
                .map(ClaimedDelivery::startedAt)
                .min(Comparator.comparingLong(startedAt -> now - startedAt))
                .orElse(null);
    }

    /** Fails pending and later settlements, because the task will not run again. */
    void abandon(Throwable cause) {
        abandonedFor = cause;
        failIfAbandoned();
        Poll poll = session.inProgress();
        if (poll != null) {
            session.fail(poll, cause);
        }
    }

    private void failIfAbandoned() {
        Throwable cause = abandonedFor;
        if (cause != null) {
            session.failWaiting(cause);
        }
    }

    // ---- claims, by the task ---------------------------------------------------------------------------------------

    /**
     * Adds claimed deliveries, which wait for a worker. If any message was cancelled or replaced after the poll was
     * sent, Redis may have run the claim before that, so all added deliveries need confirmation before they start. Only
     * the time of the last cancellation or replacement is kept, because the number of ids is unbounded.
     */
    void add(List<ClaimedDelivery> claimed) {
        int period = share.claimed(claimed.size());
        for (ClaimedDelivery delivery : claimed) {
            delivery.claimedIn = period;
            open.add(delivery);
            renewAt(delivery.renewalAt());
        }
        size.addAndGet(claimed.size());
        synchronized (this) {
            for (ClaimedDelivery delivery : claimed) {
                waiting.addLast(delivery);
                waitingBytes += delivery.claim().stored().length;
                delivery.requireConfirmation(cancelledOrReplacedAt);
                if (delivery.needsConfirmation()) {
                    confirmRequested.set(true);
                }
            }
            waitingSize = waiting.size();
        }
    }

    /** Adds a claimed suspect, which does not wait for a worker and is not part of the claim budget. */
    void addSuspect(ClaimedDelivery suspect) {
        open.add(suspect);
        size.incrementAndGet();
        renewAt(suspect.renewalAt());
    }

    private void renewAt(long at) {
        if (nextRenewal == Long.MAX_VALUE || at - nextRenewal < 0) {
            nextRenewal = at;
        }
    }

    /** Releases deliveries that wait too long for a worker. */
    void releaseOverdue() {
        long oldest = oldestClaim();
        long limit = nanoTime.getAsLong() - prefetchNanos;
        if (oldest != Long.MAX_VALUE && oldest - limit <= 0) {
            share.released();
            takeIf(delivery -> delivery.claimedAt - limit <= 0).forEach(ClaimedDelivery::release);
        }
    }

    // ---- polls, by the task ----------------------------------------------------------------------------------------

    /** Whether renewals or settlements are to be sent now. */
    boolean needPoll() {
        long now = nanoTime.getAsLong();
        return needRenewal(now) || (session.size() > 0 && (isUrgent() || nanosUntilLinger(now) <= 0));
    }

    private boolean needRenewal(long now) {
        return confirmRequested.get() || (nextRenewal != Long.MAX_VALUE && now - nextRenewal >= 0);
    }

    /** Whether settlements are sent at once: the workers have little left to do, or many wait. */
    private boolean isUrgent() {
        return !claiming.getAsBoolean()
                || waitingSize <= share.prefetched() / 2
                || session.size() >= URGENT_SETTLEMENTS;
    }

    /** Nanoseconds until the oldest settlement has waited for the linger time. */
    private long nanosUntilLinger(long now) {
        return session.oldestGivenAt(now) + linger.toNanos() - now;
    }

    /** Nanoseconds until renewals or settlements are to be sent, or waiting deliveries are overdue; at most the given. */
    long nanosUntilPoll(long most) {
        if (confirmRequested.get()) {
            return 0;
        }
        long now = nanoTime.getAsLong();
        long wait = most;
        if (session.size() > 0) {
            wait = isUrgent() ? 0 : Math.min(wait, nanosUntilLinger(now));
        }
        if (nextRenewal != Long.MAX_VALUE) {
            wait = Math.min(wait, nextRenewal - now);
        }
        long oldest = oldestClaim();
        if (oldest != Long.MAX_VALUE) {
            wait = Math.min(wait, oldest + prefetchNanos - now);
        }
        return Math.max(0, wait);
    }

    /** Begins a poll with the due renewals and the waiting settlements. */
    Poll begin(Claiming claims, Reclaiming reclaiming, boolean signalDueMessagesLeft) {
        renewals = takeRenewals(nanoTime.getAsLong());
        Poll poll = session.begin(
                claims,
                reclaiming,
                signalDueMessagesLeft,
                renewals.stream().map(Renewal::extend).toList());
        for (PendingSettlement pending : poll.settlements()) {
            if (pending.settlement() instanceof Extend extension
                    && pending.delivery() instanceof ClaimedDelivery delivery) {
                renewals.add(new Renewal(delivery, extension));
            }
        }
        return poll;
    }

    /** Returns the renewals for the next poll, at most {@link PollRequest#MAX_BATCH}. */
    private List<Renewal> takeRenewals(long now) {
        List<Renewal> taken = new ArrayList<>();
        if (!needRenewal(now)) {
            return taken;
        }
        // before the deliveries are read: a later request concerns the next poll
        boolean confirm = confirmRequested.getAndSet(false);
        boolean full = false;
        long next = Long.MAX_VALUE;
        for (ClaimedDelivery delivery : open) {
            boolean wanted = wantsRenewal(delivery, now) || (confirm && wantsConfirmation(delivery, now));
            if (wanted && taken.size() < PollRequest.MAX_BATCH) {
                taken.add(new Renewal(delivery, delivery.renewal()));
            } else if (wanted) {
                next = now;
                full = true;
            } else if (keepsLease(delivery, now)) {
                long at = delivery.renewalAt();
                next = next == Long.MAX_VALUE || at - next < 0 ? at : next;
            }
        }
        nextRenewal = next;
        if (full && confirm) {
            confirmRequested.set(true);
        }
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
     * Applies a reply to the renewals and extensions of its poll. The leases that are not lost run from the time at which
     * the poll was sent. A waiting delivery whose lease is lost is removed.
     *
     * @return the deliveries whose lease is lost
     */
    List<ClaimedDelivery> renewed(Poll poll, PollReply reply, long repliedAt) {
        Set<Object> rejected = ShardSession.byIdentity(reply.rejected());
        List<ClaimedDelivery> lost = new ArrayList<>();
        for (Renewal renewal : renewals) {
            ClaimedDelivery delivery = renewal.delivery();
            if (rejected.contains(renewal.extend())) {
                delivery.lose();
                lost.add(delivery);
            } else if (!delivery.isLost()) {
                delivery.confirmed(
                        poll.polledAt(), repliedAt, renewal.extend().lease().toNanos());
                renewAt(delivery.renewalAt());
            }
        }
        if (!lost.isEmpty()) {
            takeIf(ClaimedDelivery::isLost).forEach(this::remove);
        }
        return lost;
    }

    // ---- waiting for a worker --------------------------------------------------------------------------------------

    /** Takes the next delivery that may start; returns null if there is none. */
    @Nullable
    ClaimedDelivery next() {
        while (true) {
            boolean starting = claiming.getAsBoolean();
            ClaimedDelivery delivery = takeFirst(!starting, nanoTime.getAsLong());
            if (delivery == null) {
                if (confirmRequested.get()) {
                    task.wake();
                }
                return null;
            }
            if (delivery.isLost()) {
                remove(delivery);
            } else if (!starting) {
                delivery.release();
            } else {
                return delivery;
            }
        }
    }

    /**
     * Takes the first waiting delivery if it is lost or may start without confirmation. Otherwise leaves it, and the
     * next poll confirms it. The monitor prevents {@link #cancelledOrReplaced} between the check and the removal.
     *
     * @param any whether to take the first delivery in any case
     */
    private @Nullable ClaimedDelivery takeFirst(boolean any, long now) {
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
        confirmRequested.set(true);
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
    boolean mayStartSuspect(ClaimedDelivery suspect) {
        long now = nanoTime.getAsLong();
        synchronized (this) {
            suspect.requireConfirmation(cancelledOrReplacedAt);
            return !suspect.isLost() && mayStart(suspect, now);
        }
    }

    /** Takes the waiting deliveries that meet the condition. */
    private synchronized List<ClaimedDelivery> takeIf(Predicate<ClaimedDelivery> condition) {
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

    /** Releases all deliveries that wait for a worker. */
    void releaseWaiting() {
        takeIf(any -> true).forEach(ClaimedDelivery::release);
    }

    /**
     * Records that a message was cancelled or replaced. Its waiting deliveries, and all deliveries claimed by a poll
     * that was sent before, need confirmation before they start.
     *
     * @param id of the message; empty for all messages
     */
    void cancelledOrReplaced(String id) {
        boolean any = false;
        synchronized (this) {
            cancelledOrReplacedAt = nanoTime.getAsLong();
            for (ClaimedDelivery delivery : waiting) {
                if (id.isEmpty() || delivery.id().equals(id)) {
                    delivery.requireConfirmation(cancelledOrReplacedAt);
                    confirmRequested.set(true);
                    any = true;
                }
            }
        }
        if (any) {
            task.wake();
        }
    }

    /** When the first waiting delivery was claimed, by the monotonic clock; {@link Long#MAX_VALUE} if none waits. */
    private synchronized long oldestClaim() {
        ClaimedDelivery first = waiting.peekFirst();
        return first == null ? Long.MAX_VALUE : first.claimedAt;
    }

    /** Size in bytes of the messages that wait for a worker. */
    synchronized long waitingBytes() {
        return waitingBytes;
    }

    /** Whether deliveries wait for a worker. */
    boolean areWaiting() {
        return waitingSize > 0;
    }

    /** Whether waiting deliveries can start without confirmation from Redis. */
    boolean hasStartable() {
        return waitingSize > 0 && !confirmRequested.get();
    }

    // ---- settlements -----------------------------------------------------------------------------------------------

    /**
     * Closes a delivery by its settlement, which the next poll sends. Does not block. Called once for a delivery.
     *
     * @param failure of the attempt, if it failed
     * @return completes with true if Redis accepted the settlement
     */
    CompletableFuture<Boolean> settle(ClaimedDelivery delivery, Settlement settlement, @Nullable Throwable failure) {
        if (delivery.isStarted()) {
            attempts.settled(settlement, delivery.attempt(), delivery.startedAt(), failure, () -> headersOf(delivery));
            failsAlone.settled(settlement, delivery.startedAt(), failure); // first: it may end the claims
        }
        // added to the session before it leaves the open deliveries, so that a stop always waits for it
        CompletableFuture<Boolean> accepted = pending(delivery, settlement, failure);
        remove(delivery);
        Suspects suspects = delivery.suspects;
        if (suspects != null) {
            suspects.settled(delivery);
        }
        wakeForSettlements();
        return accepted;
    }

    private static Map<String, String> headersOf(ClaimedDelivery delivery) {
        try {
            return delivery.headers();
        } catch (UnreadableMessageException e) {
            return Map.of();
        }
    }

    /** Extends the lease of a delivery with the next poll. Does not block. */
    CompletableFuture<Boolean> extend(ClaimedDelivery delivery, Extend extension) {
        if (delivery.isLost()) {
            return CompletableFuture.completedFuture(false);
        }
        CompletableFuture<Boolean> accepted = pending(delivery, extension, null);
        wakeForSettlements();
        return accepted;
    }

    private CompletableFuture<Boolean> pending(
            ClaimedDelivery delivery, Settlement settlement, @Nullable Throwable failure) {
        CompletableFuture<Boolean> accepted = new CompletableFuture<>();
        int bytes = delivery.claim().stored().length;
        session.add(new PendingSettlement(settlement, delivery, nanoTime.getAsLong(), bytes, failure, accepted));
        return accepted;
    }

    /** Removes a delivery that was settled, or whose lease was lost before it started. */
    private void remove(ClaimedDelivery delivery) {
        if (open.remove(delivery)) {
            size.decrementAndGet();
            if (!delivery.claim().isolated()) {
                share.end(delivery.claimedIn);
            }
        }
    }

    private void wakeForSettlements() {
        if (isUrgent()) {
            task.wake();
        } else {
            task.wakeWithin(linger);
        }
        failIfAbandoned();
    }
}
