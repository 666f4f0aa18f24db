package io.delayqueue.container;

import io.delayqueue.coordination.Membership.ShardAssignment;
import io.delayqueue.coordination.RedisTask;
import io.delayqueue.event.EventBus;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource;
import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.redis.SignalSource.Subscription;
import io.delayqueue.store.Claim;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.PendingSettlement;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.PollRequest.Reclaiming;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.Settlement.Extend;
import io.delayqueue.store.ShardSession;
import io.delayqueue.store.ShardSession.Poll;
import io.delayqueue.store.TopicRegisteredAnewException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Polls one shard for one running listener. Each run of its task is one round trip: it settles handled deliveries,
 * renews leases, claims due messages, and returns the time until the next poll. Settlements, signals and idle workers
 * only wake the task.
 *
 * <p>Only the task builds polls and applies replies, and it never runs twice at a time. Other threads add settlements
 * and extensions, take waiting deliveries, and switch {@link #claiming}. Each shared part is thread-safe by itself. No
 * lock spans two of them.
 */
final class ShardPoller extends RedisTask implements SignalListener, ClaimedDelivery.Owner, IsolationSlot.Claimant {

    /** Number of waiting settlements that are sent at once. */
    private static final int URGENT_SETTLEMENTS = PollRequest.MAX_BATCH / 2;

    private static final int MAX_RECLAIM = 100;
    /** Time for which a poll without a reply keeps its part of the claim budget. */
    private static final long RESERVATION_TIME = Duration.ofSeconds(1).toNanos();
    /** Time in which a running owner reconnects and renews its leases after an outage. */
    private static final Duration RECONNECT_TIME = Duration.ofSeconds(3);
    /** Interval at which dead-letter notifications are enabled again: Redis may have been flushed or restored. */
    private static final long ENABLE_INTERVAL = Duration.ofMinutes(1).toNanos();

    private final Shard shard;
    private final DelayQueueEngine engine;
    private final MessageStore store;
    private final SignalSource signals;
    private final EventBus events;
    private final ListenerOptions options;
    private final Duration linger;
    private final long sweepNanos;
    private final long unconfirmedSweepNanos;
    private final Recipient recipient;
    private final ClaimBudget budget;
    private final AttemptLog attempts;
    private final Runnable dispatch;
    private final Consumer<ClaimedDelivery> handleInIsolation;
    private final Consumer<ShardPoller> onRegisteredAnew;
    private final ShardSession session;
    private final NextPoll nextPoll;
    private final ClaimBudget.Share share;
    private final OpenDeliveries deliveries;
    private final Reclaiming reclaiming;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();

    private Runnable removeConsumer = () -> {};
    private @Nullable Subscription subscription;
    private volatile boolean claiming;
    /** Why settlements fail because the task does not run any more; null before. */
    private volatile @Nullable Throwable abandonedFor;

    /** Null before claims start. */
    private volatile @Nullable ShardAssignment assignment;

    private volatile boolean ending;

    /** Whether suspects waited at the last reply. */
    private volatile boolean suspectsLeft;

    /** When this poller may request the slot for suspects again. */
    private volatile long nextSlotRequest;

    // of the open poll
    private List<OpenDeliveries.Renewal> renewals = List.of();
    private boolean sweeping;

    private long enableSentAt;
    private long enableNext;
    /** Whether this run of the task has started a worker. */
    private boolean dispatched;

    /**
     * Creates a poller; {@link #start} starts it.
     *
     * @param consumer unique name; never used by another consumer
     * @param budget limits the claims of all pollers of the listener
     * @param attempts counts and logs the attempts of all pollers of the listener
     * @param dispatch called when deliveries wait for a worker; called again later if it throws
     * @param handleInIsolation handles a suspect outside the permits
     * @param onRegisteredAnew called with this poller when the number of shards of the topic has changed
     */
    ShardPoller(
            DelayQueueEngine engine,
            ListenerSpec spec,
            Shard shard,
            String consumer,
            ClaimBudget budget,
            AttemptLog attempts,
            Runnable dispatch,
            Consumer<ClaimedDelivery> handleInIsolation,
            Consumer<ShardPoller> onRegisteredAnew) {
        super(engine.nanoTime);
        this.shard = shard;
        this.engine = engine;
        this.store = engine.store;
        this.signals = engine.signals();
        this.events = engine.events;
        this.options = spec.options();
        EngineSettings settings = engine.settings;
        this.linger = settings.linger();
        this.sweepNanos = settings.sweep().toNanos();
        this.unconfirmedSweepNanos = settings.unconfirmedSweep().toNanos();
        this.recipient = new Recipient(spec.topic(), spec.kind(), spec.id());
        this.budget = budget;
        this.attempts = attempts;
        this.dispatch = dispatch;
        this.handleInIsolation = handleInIsolation;
        this.onRegisteredAnew = onRegisteredAnew;
        this.session = new ShardSession(
                request -> store.poll(shard, request).thenApply(Optional::of),
                consumer,
                new AtomicLong()::incrementAndGet,
                nanoTime,
                events,
                recipient,
                this::complete);
        this.nextPoll = new NextPoll(consumer, session.clock(), nanoTime, this::wake);
        this.enableNext = nanoTime.getAsLong();
        this.nextSlotRequest = enableNext;
        this.share = budget.share(this);
        this.deliveries = new OpenDeliveries(share, options.handlingTime(), settings.confirmAfter(), nanoTime);
        Duration renewal = options.lease().dividedBy(3);
        this.reclaiming = new Reclaiming(
                MAX_RECLAIM,
                options.maxAttempts(),
                settings.crashes(),
                Reclaiming.gapFor(settings.sweep()),
                renewal.compareTo(RECONNECT_TIME) > 0 ? renewal : RECONNECT_TIME);
    }

    // ---- lifecycle -------------------------------------------------------------------------------------------------

    /**
     * Subscribes to signals and schedules the task. Claims start with {@link #resume()}.
     *
     * @param name of the task, for the log
     */
    void start(String name) {
        removeConsumer = engine.membership.addConsumer(shard);
        subscription = signals.listen(shard, this);
        schedule(engine.tasks(), name);
    }

    /** Starts to claim messages. */
    void resume() {
        assignment = engine.membership.join(shard, nextPoll::pollNow);
        claiming = true;
        nextPoll.pollNow();
    }

    /** Stops claiming and releases the waiting deliveries. */
    void pause() {
        claiming = false;
        releaseAll();
        engine.isolation.release(this);
        wake();
        leave();
    }

    /**
     * Ends the poller after {@link #pause()}: it polls until nothing is open.
     *
     * @return completes when no delivery is open and every settlement has its reply
     */
    CompletableFuture<Void> end() {
        stopListening();
        ending = true;
        wake();
        return drained;
    }

    /** Ends the poller at once and fails open settlements: its shard no longer exists. */
    void drop() {
        stopListening();
        cancel();
        leave();
        share.close();
        claiming = false;
        engine.isolation.release(this);
        abandon(new IllegalStateException("Topic " + Printable.of(shard.topic())
                + " was registered again with another number of shards before Redis replied"));
    }

    private void leave() {
        ShardAssignment current = assignment;
        if (current != null) {
            current.leave();
        }
    }

    private void stopListening() {
        removeConsumer.run();
        if (subscription != null) {
            subscription.close();
        }
    }

    /** Called when the engine is closed: fails open and later settlements. */
    void abandon() {
        abandon(new IllegalStateException("The delay queue engine was closed before Redis replied"));
    }

    /** Fails open and later settlements, because the task will not run again. */
    private void abandon(Throwable cause) {
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

    /** Runs each completion on a handler thread: callbacks of users may block. */
    private void complete(List<Runnable> completions) {
        for (Runnable completion : completions) {
            Completions.on(engine.handlers, completion);
        }
    }

    /** Number of open deliveries: waiting or being handled, and not settled. */
    int open() {
        return deliveries.size();
    }

    /** Whether no delivery is open and no settlement waits for its reply. A claim may still wait for its reply. */
    boolean hasSettledAll() {
        return deliveries.size() == 0 && !session.hasPendingSettlements();
    }

    // ---- signals ---------------------------------------------------------------------------------------------------

    @Override
    public void headAt(long dueMillis) {
        nextPoll.headAt(dueMillis);
    }

    @Override
    public void dueMessagesLeft(String from) {
        nextPoll.dueMessagesLeft(from);
    }

    @Override
    public void resubscribed() {
        nextPoll.pollNow();
    }

    @Override
    public void cancelledOrReplaced(String id) {
        if (deliveries.cancelledOrReplaced(id)) {
            wake();
        }
    }

    // ---- one round trip --------------------------------------------------------------------------------------------

    @Override
    protected Duration roundTrip() {
        dispatched = false;
        Duration next;
        try {
            next = roundOrCleanUp();
        } catch (TopicRegisteredAnewException e) {
            onRegisteredAnew.accept(this);
            throw e;
        }
        if (!dispatched && hasStartable()) { // last: a missing worker must not affect the poll
            dispatch.run();
        }
        return next;
    }

    private Duration roundOrCleanUp() {
        try {
            return round();
        } catch (RuntimeException e) {
            share.endReservation();
            share.wants(false);
            engine.isolation.release(this);
            dropRejectedPoll();
            throw e;
        } finally {
            endIfDrained();
        }
    }

    private Duration round() {
        // if the task waits for a reply without an open poll, it waits for that of enableNotifications()
        if (session.open() == null && (claiming || isWaiting()) && !enableNotificationsIfDue()) {
            return untilReplied();
        }
        releaseOverdue();
        endOverdueIsolation();
        Poll poll = session.open();
        if (poll == null) {
            poll = begin();
            if (poll == null) {
                return untilNext();
            }
        }
        Poll sent = poll;
        Optional<PollReply> reply = reply(() -> session.send(sent));
        if (reply == null) {
            return untilReplied();
        }
        session.end();
        apply(poll, reply.orElseThrow());
        share.endReservation();
        return untilNext();
    }

    /**
     * Returns the delay while the poll has no reply. A late reply still contains claims, so the poll keeps its part of
     * the claim budget at first. Then it frees the part, because an unresponsive master must not hold the budget of
     * other shards.
     */
    private Duration untilReplied() {
        Poll poll = session.open();
        long left = poll == null ? 0 : poll.sentAt() + RESERVATION_TIME - nanoTime.getAsLong();
        if (left > 0) {
            return Duration.ofNanos(left);
        }
        share.endReservation();
        engine.isolation.release(this);
        return UNTIL_REPLIED;
    }

    /**
     * Enables dead-letter notifications of the topic if that is due: before this poller can dead-letter a message, even
     * if the dead-letter listener has not polled yet. Returns false while Redis has not replied.
     */
    private boolean enableNotificationsIfDue() {
        long now = nanoTime.getAsLong();
        if (now - enableNext < 0) {
            return true;
        }
        if (!engine.hasDeadLetterListener(shard.topic())) {
            enableNext = now + ENABLE_INTERVAL;
            return true;
        }
        if (reply(this::enableNotifications) == null) {
            return false;
        }
        // from the time of the call, not of the reply: Redis may have been flushed since it replied
        enableNext = enableSentAt + ENABLE_INTERVAL;
        return true;
    }

    private CompletableFuture<Boolean> enableNotifications() {
        enableSentAt = nanoTime.getAsLong();
        return store.enableNotifications(shard).thenApply(nothing -> true);
    }

    private void releaseOverdue() {
        long oldest = deliveries.oldestClaim();
        long limit = nanoTime.getAsLong() - options.prefetchTime().toNanos();
        if (oldest != Long.MAX_VALUE && oldest - limit <= 0) {
            budget.released();
            deliveries.takeIf(delivery -> delivery.claimedAt - limit <= 0).forEach(this::release);
        }
    }

    /** Begins a poll if there is a reason to poll. */
    private @Nullable Poll begin() {
        long now = nanoTime.getAsLong();
        boolean due = nextPoll.hasDueMessages(isAssigned());
        int capacity = mayClaim() ? share.capacity() : 0;
        boolean peers = hasPeers();
        NextPoll.Plan plan = claiming ? plan(capacity, peers, due) : NextPoll.Plan.NEVER;
        boolean settles = session.size() > 0 && (isUrgent() || session.isOlderThan(now - linger.toNanos()));
        if (!plan.isNow() && !deliveries.needsRenewal(now) && !settles) {
            return null;
        }
        renewals = new ArrayList<>(deliveries.takeRenewals(now));
        nextPoll.began(plan);
        sweeping = plan.isNow() && plan.reason() == NextPoll.Reason.SWEEP;
        int reserved = share.reserve(Math.min(capacity, PollRequest.MAX_BATCH));
        Poll poll = session.begin(
                new Claiming(
                        reserved,
                        PollRequest.MAX_BYTES,
                        options.lease(),
                        claiming && engine.isolation.mayClaim(this),
                        false,
                        share.handlers()),
                reclaiming,
                // with a greater capacity, the next poll of this poller claims the messages that this one leaves
                peers && capacity <= PollRequest.MAX_BATCH,
                renewals.stream().map(OpenDeliveries.Renewal::extend).toList());
        for (PendingSettlement pending : poll.settlements()) {
            if (pending.settlement() instanceof Extend extension
                    && pending.delivery() instanceof ClaimedDelivery delivery) {
                renewals.add(new OpenDeliveries.Renewal(delivery, extension));
            }
        }
        return poll;
    }

    private NextPoll.Plan plan(int capacity, boolean peers, boolean due) {
        return nextPoll.plan(isAssigned(), peers, capacity, due, sweepNanos());
    }

    /** Without signals nothing can wake another poller, so each poller acts as assigned. */
    private boolean isAssigned() {
        return hasAssignment() || !signals.confirmed();
    }

    private boolean hasAssignment() {
        ShardAssignment current = assignment;
        return current != null && current.isAssigned();
    }

    private boolean hasPeers() {
        ShardAssignment current = assignment;
        return current != null && current.hasPeers();
    }

    private long sweepNanos() {
        return hasAssignment() && !signals.confirmed() ? unconfirmedSweepNanos : sweepNanos;
    }

    private boolean mayClaim() {
        return claiming && deliveries.waitingBytes() <= share.bytes();
    }

    /** Whether settlements are sent at once: the workers have little left to do, or many wait. */
    private boolean isUrgent() {
        return !claiming || deliveries.waiting() <= share.prefetched() / 2 || session.size() >= URGENT_SETTLEMENTS;
    }

    private void apply(Poll poll, PollReply reply) {
        nextPoll.replied(reply, poll.request().signalDueMessagesLeft());
        long repliedAt = nanoTime.getAsLong();
        Set<Object> lost = ShardSession.identities(reply.rejected());
        List<ClaimedDelivery> lostDeliveries = deliveries.renewed(renewals, lost, poll.sentAt(), repliedAt);
        suspectsLeft = reply.suspectsLeft();
        if (poll.request().claiming().max() > 0) {
            share.crashed(
                    reply.untilNextDue().isZero() && reply.claims().stream().anyMatch(ShardPoller::waitsForHandler));
        }
        take(poll, reply.claims(), repliedAt);
        requestSlot();
        // last: listeners and callbacks may throw anything, and the poll must be applied by then
        lostDeliveries.forEach(this::publishLost);
        session.publish(poll, reply);
        if (sweeping && !reply.claims().isEmpty()) {
            events.publish(to -> to.sweepFound(recipient, reply.claims().size()));
        }
    }

    /** Whether a message is claimed only for a free handler. */
    private static boolean waitsForHandler(Claim claim) {
        return claim.crashes() > 0 && !claim.isolated();
    }

    private void take(Poll poll, List<Claim> claims, long repliedAt) {
        if (!claims.isEmpty()) {
            List<ClaimedDelivery> taken = new ArrayList<>(claims.size());
            for (Claim claim : claims) {
                ClaimedDelivery delivery = new ClaimedDelivery(
                        this, session.clock(), shard.topic(), claim, options, poll.sentAt(), repliedAt);
                if (claim.isolated()) {
                    takeSuspect(delivery);
                } else {
                    taken.add(delivery);
                }
            }
            deliveries.add(taken);
        }
        if (!claiming) { // checked after the deliveries were added: a concurrent pause() releases them, or this does
            releaseAll();
        }
        if (deliveries.waiting() > 0) {
            try {
                dispatch.run();
                dispatched = true;
            } catch (RuntimeException | Error e) {
                // roundTrip() dispatches again after the poll is applied; if that fails too, it throws
            }
        }
    }

    // ---- suspects --------------------------------------------------------------------------------------------------

    /** Handles a claimed suspect, or releases it if this process may not handle it now. */
    private void takeSuspect(ClaimedDelivery delivery) {
        deliveries.addSuspect(delivery);
        if (claiming && engine.isolation.begin(this, delivery)) {
            try {
                engine.handlers.execute(() -> startSuspect(delivery));
                return;
            } catch (RuntimeException | Error e) {
                nextSlotRequest = nanoTime.getAsLong() + sweepNanos; // no thread
            }
        }
        suspectsLeft = false; // until the next poll
        release(delivery);
    }

    /** Runs on a handler thread. A suspect that may not start, as after a long wait for the thread, is claimed again. */
    private void startSuspect(ClaimedDelivery delivery) {
        if (claiming && deliveries.mayStartSuspect(delivery, nanoTime.getAsLong())) {
            handleInIsolation.accept(delivery);
        } else {
            release(delivery);
        }
    }

    /** Requests the slot if suspects wait, and polls for one when this poller has it. */
    private void requestSlot() {
        if (!claiming || !suspectsLeft || nanoTime.getAsLong() - nextSlotRequest < 0) {
            engine.isolation.release(this);
        } else if (engine.isolation.request(this)) {
            nextPoll.pollNow();
            if (!claiming) { // paused before the request, so that pause() did not release the slot
                engine.isolation.release(this);
            }
        }
    }

    @Override
    public void slotGranted() {
        if (claiming) {
            nextPoll.pollNow();
        } else {
            engine.isolation.release(this);
        }
    }

    private void endIsolation(ClaimedDelivery suspect) {
        if (engine.isolation.end(this, suspect)) {
            requestSlot();
        }
    }

    /** Passes the slot on if a handler does not return within the time that handlers may take. */
    private void endOverdueIsolation() {
        ClaimedDelivery current = engine.isolation.suspectOf(this);
        if (current != null
                && current.isStarted()
                && nanoTime.getAsLong() - current.startedAt()
                        > options.handlingTime().toNanos()) {
            endIsolation(current);
        }
    }

    private void publishLost(ClaimedDelivery delivery) {
        if (delivery.isStarted()) {
            events.publish(to -> to.leaseLost(recipient, delivery.id(), delivery.leaseEnd()));
        }
    }

    private Duration untilNext() {
        boolean mayClaim = mayClaim();
        boolean due = nextPoll.hasDueMessages(isAssigned());
        int granted = share.wants(mayClaim && due);
        int capacity = mayClaim ? granted : 0;
        long now = nanoTime.getAsLong();
        long wait = UNTIL_WOKEN.toNanos();
        if (claiming) {
            wait = Math.min(wait, plan(capacity, hasPeers(), due).nanos());
        }
        if (session.size() > 0) {
            wait = isUrgent() ? 0 : Math.min(wait, linger.toNanos());
        }
        long renewal = deliveries.nextRenewal();
        if (renewal != Long.MAX_VALUE) {
            wait = Math.min(wait, renewal - now);
        }
        long oldest = deliveries.oldestClaim();
        if (oldest != Long.MAX_VALUE) {
            wait = Math.min(wait, oldest + options.prefetchTime().toNanos() - now);
        }
        return Duration.ofNanos(deliveries.isConfirmationRequested() ? 0 : Math.max(0, wait));
    }

    /** Drops a poll that Redis rejected, so that a stop can end. */
    private void dropRejectedPoll() {
        Poll poll = session.open();
        if (poll != null && !claiming && !poll.mayHaveRun() && hasSettledAll()) {
            session.end();
        }
    }

    private void endIfDrained() {
        if (ending && session.open() == null && hasSettledAll()) {
            cancel();
            drained.complete(null);
        }
    }

    // ---- workers ---------------------------------------------------------------------------------------------------

    /** Returns the next delivery that may start, or null. */
    @Nullable
    ClaimedDelivery next() {
        while (true) {
            boolean starting = claiming;
            long now = nanoTime.getAsLong();
            ClaimedDelivery delivery = deliveries.takeFirst(!starting, now);
            if (delivery == null) {
                if (deliveries.isConfirmationRequested()) {
                    wake();
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

    /** The delivery whose handler has been running longest; null if none is running. */
    @Nullable
    ClaimedDelivery oldestRunning() {
        return deliveries.oldestRunning();
    }

    /** Whether waiting deliveries can start without confirmation from Redis. */
    boolean hasStartable() {
        return deliveries.hasStartable();
    }

    private void releaseAll() {
        deliveries.takeIf(any -> true).forEach(this::release);
    }

    private void release(ClaimedDelivery delivery) {
        delivery.settle(new Settlement.Release(delivery.id(), delivery.claim().token()));
    }

    // ---- settlements -----------------------------------------------------------------------------------------------

    @Override
    public void settled(
            ClaimedDelivery delivery,
            Settlement settlement,
            @Nullable Throwable failure,
            CompletableFuture<Boolean> accepted) {
        if (delivery.isStarted()) {
            attempts.settled(settlement, delivery.attempt(), delivery.startedAt(), failure);
        }
        // added to the session before it leaves the open deliveries, so that a stop always waits for it
        add(delivery, settlement, failure, accepted);
        deliveries.remove(delivery);
        if (delivery.claim().isolated()) {
            endIsolation(delivery);
        }
        wakeForWork();
        failIfAbandoned();
    }

    @Override
    public CompletableFuture<Boolean> extend(ClaimedDelivery delivery, Duration time) {
        if (delivery.isLost() || delivery.isSettled()) {
            return CompletableFuture.completedFuture(false);
        }
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        add(delivery, new Extend(delivery.id(), delivery.claim().token(), time), null, result);
        wakeForWork();
        failIfAbandoned();
        return result;
    }

    private void add(
            ClaimedDelivery delivery,
            Settlement settlement,
            @Nullable Throwable failure,
            CompletableFuture<Boolean> accepted) {
        int bytes = delivery.claim().stored().length;
        session.add(new PendingSettlement(settlement, delivery, nanoTime.getAsLong(), bytes, failure, accepted));
    }

    private void wakeForWork() {
        if (isUrgent()) {
            wake();
        } else {
            wakeWithin(linger);
        }
    }
}
