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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a poller's open deliveries: renews and extends them, and ends them by settlements. Renewals,
 * extensions and settlements are sent with the next poll, for which the poller's task is woken.
 *
 * <p>Any thread may settle and extend deliveries, take waiting ones, and release all. Only the task adds deliveries,
 * begins polls and applies replies. The parts are thread-safe by themselves; no lock spans two of them.
 */
final class DeliveryLeases implements ClaimedDelivery.Owner {

    /** Number of waiting settlements that are sent at once. */
    private static final int URGENT_SETTLEMENTS = PollRequest.MAX_BATCH / 2;

    private final ShardSession session;
    private final OpenDeliveries deliveries;
    private final ClaimBudget budget;
    private final ClaimBudget.Share share;
    private final AttemptLog attempts;
    private final LongSupplier nanoTime;
    private final Duration linger;
    private final long prefetchNanos;
    private final TaskHandle task;
    private final BooleanSupplier claiming;
    private final Consumer<ClaimedDelivery> onSettledSuspect;

    /** Why settlements fail because the task does not run any more; null before. */
    private volatile @Nullable Throwable abandonedFor;

    /** The renewals and extensions of the open poll. */
    private List<OpenDeliveries.Renewal> renewals = List.of();

    /**
     * Creates the leases of a poller.
     *
     * @param share the poller's share of the budget
     * @param task the poller's task
     * @param claiming whether the poller claims messages; deliveries start only while it does
     * @param onSettledSuspect called after a delivery in isolation was settled
     */
    DeliveryLeases(
            PollerContext context,
            ListenerOptions options,
            ShardSession session,
            ClaimBudget budget,
            ClaimBudget.Share share,
            AttemptLog attempts,
            TaskHandle task,
            BooleanSupplier claiming,
            Consumer<ClaimedDelivery> onSettledSuspect) {
        this.session = session;
        this.budget = budget;
        this.share = share;
        this.attempts = attempts;
        this.nanoTime = context.nanoTime();
        this.linger = context.settings().linger();
        this.prefetchNanos = options.prefetchTime().toNanos();
        this.task = task;
        this.claiming = claiming;
        this.onSettledSuspect = onSettledSuspect;
        this.deliveries = new OpenDeliveries(
                share, options.handlingTime(), context.settings().confirmAfter(), nanoTime);
    }

    /** Number of open deliveries: waiting or being handled, and not settled. */
    int open() {
        return deliveries.size();
    }

    /** Whether no delivery is open and no settlement waits for its reply. A claim may still wait for its reply. */
    boolean hasSettledAll() {
        return deliveries.size() == 0 && !session.hasPendingSettlements();
    }

    /** Fails open and later settlements, because the task will not run again. */
    void abandon(Throwable cause) {
        abandonedFor = cause;
        failIfAbandoned();
        Poll open = session.open();
        if (open != null) {
            session.fail(open, cause);
        }
    }

    private void failIfAbandoned() {
        Throwable cause = abandonedFor;
        if (cause != null) {
            session.failWaiting(cause);
        }
    }

    // ---- polls, by the task ----------------------------------------------------------------------------------------

    /** Releases deliveries that wait too long for a worker. */
    void releaseOverdue() {
        long oldest = deliveries.oldestClaim();
        long limit = nanoTime.getAsLong() - prefetchNanos;
        if (oldest != Long.MAX_VALUE && oldest - limit <= 0) {
            budget.released();
            deliveries.takeIf(delivery -> delivery.claimedAt - limit <= 0).forEach(this::release);
        }
    }

    /** Whether renewals or settlements are to be sent now. */
    boolean needPoll() {
        long now = nanoTime.getAsLong();
        return deliveries.needsRenewal(now) || (session.size() > 0 && (isUrgent() || nanosUntilLinger(now) <= 0));
    }

    /** Nanoseconds until the oldest settlement has waited for the linger time. */
    private long nanosUntilLinger(long now) {
        return session.oldestGivenAt(now) + linger.toNanos() - now;
    }

    /** Nanoseconds until renewals or settlements are to be sent, or waiting deliveries are overdue; at most the given. */
    long nanosUntilPoll(long most) {
        if (deliveries.isConfirmationRequested()) {
            return 0;
        }
        long now = nanoTime.getAsLong();
        long wait = most;
        if (session.size() > 0) {
            wait = isUrgent() ? 0 : Math.min(wait, nanosUntilLinger(now));
        }
        long renewal = deliveries.nextRenewal();
        if (renewal != Long.MAX_VALUE) {
            wait = Math.min(wait, renewal - now);
        }
        long oldest = deliveries.oldestClaim();
        if (oldest != Long.MAX_VALUE) {
            wait = Math.min(wait, oldest + prefetchNanos - now);
        }
        return Math.max(0, wait);
    }

    /** Begins a poll with the due renewals and the waiting settlements. */
    Poll begin(Claiming claims, Reclaiming reclaiming, boolean signalDueMessagesLeft) {
        renewals = new ArrayList<>(deliveries.takeRenewals(nanoTime.getAsLong()));
        Poll poll = session.begin(
                claims,
                reclaiming,
                signalDueMessagesLeft,
                renewals.stream().map(OpenDeliveries.Renewal::extend).toList());
        for (PendingSettlement pending : poll.settlements()) {
            if (pending.settlement() instanceof Extend extension
                    && pending.delivery() instanceof ClaimedDelivery delivery) {
                renewals.add(new OpenDeliveries.Renewal(delivery, extension));
            }
        }
        return poll;
    }

    /** Applies a reply to the renewals and extensions of its poll, and returns the deliveries whose lease is lost. */
    List<ClaimedDelivery> renewed(Poll poll, PollReply reply, long repliedAt) {
        return deliveries.renewed(renewals, ShardSession.identities(reply.rejected()), poll.sentAt(), repliedAt);
    }

    /** Adds claimed deliveries, which wait for a worker. */
    void add(List<ClaimedDelivery> claimed) {
        deliveries.add(claimed);
    }

    /** Adds a claimed suspect, which waits for no worker. */
    void addSuspect(ClaimedDelivery suspect) {
        deliveries.addSuspect(suspect);
    }

    /** Size in bytes of the messages that wait for a worker. */
    long waitingBytes() {
        return deliveries.waitingBytes();
    }

    /** Whether deliveries wait for a worker. */
    boolean areWaiting() {
        return deliveries.waiting() > 0;
    }

    /** Whether settlements are sent at once: the workers have little left to do, or many wait. */
    private boolean isUrgent() {
        return !claiming.getAsBoolean()
                || deliveries.waiting() <= share.prefetched() / 2
                || session.size() >= URGENT_SETTLEMENTS;
    }

    // ---- workers ---------------------------------------------------------------------------------------------------

    /** Returns the next delivery that may start, or null. */
    @Nullable
    ClaimedDelivery next() {
        while (true) {
            boolean starting = claiming.getAsBoolean();
            long now = nanoTime.getAsLong();
            ClaimedDelivery delivery = deliveries.takeFirst(!starting, now);
            if (delivery == null) {
                if (deliveries.isConfirmationRequested()) {
                    task.wake();
                }
                return null;
            }
            if (delivery.isLost()) {
                deliveries.remove(delivery);
            } else if (!starting) {
                release(delivery);
            } else {
                return delivery;
            }
        }
    }

    /** Whether a claimed suspect may start without confirmation from Redis. */
    boolean mayStart(ClaimedDelivery suspect) {
        return deliveries.mayStartSuspect(suspect, nanoTime.getAsLong());
    }

    /** Whether waiting deliveries can start without confirmation from Redis. */
    boolean hasStartable() {
        return deliveries.hasStartable();
    }

    /** The delivery whose handler has been running longest; null if none is running. */
    @Nullable
    ClaimedDelivery oldestRunning() {
        return deliveries.oldestRunning();
    }

    /** Records that a message was cancelled or replaced: its delivery needs confirmation before it starts. */
    void cancelledOrReplaced(String id) {
        if (deliveries.cancelledOrReplaced(id)) {
            task.wake();
        }
    }

    /** Releases all deliveries that wait for a worker. */
    void releaseWaiting() {
        deliveries.takeIf(any -> true).forEach(this::release);
    }

    /** Releases a delivery that was not started. */
    void release(ClaimedDelivery delivery) {
        delivery.release();
    }

    // ---- settlements -----------------------------------------------------------------------------------------------

    @Override
    public CompletableFuture<Boolean> settled(
            ClaimedDelivery delivery, Settlement settlement, @Nullable Throwable failure) {
        if (delivery.isStarted()) {
            attempts.settled(settlement, delivery.attempt(), delivery.startedAt(), failure);
        }
        // added to the session before it leaves the open deliveries, so that a stop always waits for it
        CompletableFuture<Boolean> accepted = add(delivery, settlement, failure);
        deliveries.remove(delivery);
        if (delivery.claim().isolated()) {
            onSettledSuspect.accept(delivery);
        }
        wakeForWork();
        failIfAbandoned();
        return accepted;
    }

    @Override
    public CompletableFuture<Boolean> extend(ClaimedDelivery delivery, Extend extension) {
        if (delivery.isLost()) {
            return CompletableFuture.completedFuture(false);
        }
        CompletableFuture<Boolean> accepted = add(delivery, extension, null);
        wakeForWork();
        failIfAbandoned();
        return accepted;
    }

    private CompletableFuture<Boolean> add(
            ClaimedDelivery delivery, Settlement settlement, @Nullable Throwable failure) {
        CompletableFuture<Boolean> accepted = new CompletableFuture<>();
        int bytes = delivery.claim().stored().length;
        session.add(new PendingSettlement(settlement, delivery, nanoTime.getAsLong(), bytes, failure, accepted));
        return accepted;
    }

    private void wakeForWork() {
        if (isUrgent()) {
            task.wake();
        } else {
            task.wakeWithin(linger);
        }
    }
}
