package io.delayqueue.container;

import io.delayqueue.consume.NextPoll;
import io.delayqueue.coordination.Membership.ShardAssignment;
import io.delayqueue.coordination.RedisTask;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.redis.SignalSource.Subscription;
import io.delayqueue.store.Claim;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.PollRequest.Reclaiming;
import io.delayqueue.store.ShardSession;
import io.delayqueue.store.ShardSession.Poll;
import io.delayqueue.store.TopicRegisteredAnewException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Polls one shard for one running listener. Each run of its task is one round trip: it settles handled deliveries,
 * renews leases, claims due messages, and returns the time until the next poll. Settlements, signals and idle workers
 * only wake the task.
 *
 * <p>Only the task begins polls and applies replies, and it never runs twice at a time. Other threads use the
 * {@link #leases()} and the suspects, and switch {@link #claiming}.
 */
final class ListenerShard extends RedisTask implements SignalListener {

    private static final int MAX_RECLAIM = 100;
    /** Time for which a poll without a reply keeps its part of the claim budget. */
    private static final long RESERVATION_TIME = Duration.ofSeconds(1).toNanos();
    /** Time in which a running owner reconnects and renews its leases after an outage. */
    private static final Duration RECONNECT_TIME = Duration.ofSeconds(3);
    /** Interval at which dead-letter notifications are enabled again: Redis may have been flushed or restored. */
    private static final long ENABLE_INTERVAL = Duration.ofMinutes(1).toNanos();

    private final PollerContext context;
    private final Shard shard;
    private final ListenerOptions options;
    private final Recipient recipient;
    private final Consumer consumer;
    private final ShardSession session;
    private final NextPoll nextPoll;
    private final ClaimBudget.Share share;
    private final DeliveryLeases leases;
    private final Suspects suspects;
    private final Reclaiming reclaiming;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();

    private Runnable removeConsumer = () -> {};
    private @Nullable Subscription subscription;
    private volatile boolean claiming;

    /** Null before claims start. */
    private volatile @Nullable ShardAssignment assignment;

    private volatile boolean ending;

    /** Whether the open poll is a sweep. */
    private boolean sweeping;

    private long enableSentAt;
    private long enableNext;
    /** Whether this run of the task has started a worker. */
    private boolean dispatched;

    /** What handles the deliveries of a listener's pollers. */
    interface Consumer {

        /** Called when deliveries wait for a worker; called again later if it throws. */
        void dispatch();

        /** Handles a suspect outside the permits. */
        void handleInIsolation(ClaimedDelivery suspect);

        /** Called with a poller that finds that the number of shards of the topic has changed. */
        void registeredAnew(ListenerShard poller);
    }

    /**
     * Creates a poller; {@link #start} starts it.
     *
     * @param budget limits the claims of all pollers of the listener
     * @param attempts counts and logs the attempts of all pollers of the listener
     */
    ListenerShard(
            PollerContext context,
            ListenerSpec spec,
            Shard shard,
            ClaimBudget budget,
            AttemptLog attempts,
            Consumer consumer) {
        super(context.nanoTime());
        this.context = context;
        this.shard = shard;
        this.options = spec.options();
        this.recipient = new Recipient(spec.topic(), spec.kind(), spec.id());
        this.consumer = consumer;
        String name = context.consumers().get();
        this.session = new ShardSession(
                request -> context.store().poll(shard, request).thenApply(Optional::of),
                name,
                new AtomicLong()::incrementAndGet,
                nanoTime,
                context.events(),
                recipient,
                this::complete);
        this.nextPoll = new NextPoll(name, session.clock(), nanoTime, this::wake);
        this.enableNext = nanoTime.getAsLong();
        this.share = budget.share(this);
        this.leases = new DeliveryLeases(
                context, options, session, budget, share, attempts, this, () -> claiming, this::settledSuspect);
        this.suspects = new Suspects(
                context,
                leases,
                options.handlingTime(),
                () -> claiming,
                nextPoll::pollNow,
                consumer::handleInIsolation);
        Duration renewal = options.lease().dividedBy(3);
        this.reclaiming = new Reclaiming(
                MAX_RECLAIM,
                options.maxAttempts(),
                context.settings().crashes(),
                Reclaiming.gapFor(context.settings().sweep()),
                renewal.compareTo(RECONNECT_TIME) > 0 ? renewal : RECONNECT_TIME);
    }

    private void settledSuspect(ClaimedDelivery suspect) {
        suspects.settled(suspect);
    }

    // ---- lifecycle -------------------------------------------------------------------------------------------------

    /**
     * Subscribes to signals and schedules the task. Claims start with {@link #resume()}.
     *
     * @param name of the task, for the log
     */
    void start(String name) {
        removeConsumer = context.membership().addConsumer(shard);
        subscription = context.signals().listen(shard, this);
        schedule(context.tasks(), name);
    }

    /** Starts to claim messages. */
    void resume() {
        assignment = context.membership().join(shard, nextPoll::pollNow);
        claiming = true;
        nextPoll.pollNow();
    }

    /** Stops claiming and releases the waiting deliveries. */
    void pause() {
        claiming = false;
        leases.releaseWaiting();
        suspects.releaseSlot();
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
        suspects.releaseSlot();
        leases.abandon(new IllegalStateException("Topic " + Printable.of(shard.topic())
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
        leases.abandon(new IllegalStateException("The delay queue engine was closed before Redis replied"));
    }

    /** Runs each completion on a handler thread: callbacks of users may block. */
    private void complete(List<Runnable> completions) {
        for (Runnable completion : completions) {
            Completions.on(context.handlers(), completion);
        }
    }

    /** The open deliveries and their leases. */
    DeliveryLeases leases() {
        return leases;
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
        leases.cancelledOrReplaced(id);
    }

    // ---- one round trip --------------------------------------------------------------------------------------------

    @Override
    protected Duration roundTrip() {
        dispatched = false;
        Duration next;
        try {
            next = roundOrCleanUp();
        } catch (TopicRegisteredAnewException e) {
            consumer.registeredAnew(this);
            throw e;
        }
        if (!dispatched && leases.hasStartable()) { // last: a missing worker must not affect the poll
            consumer.dispatch();
        }
        return next;
    }

    private Duration roundOrCleanUp() {
        try {
            return round();
        } catch (RuntimeException e) {
            share.endReservation();
            share.wants(false);
            suspects.releaseSlot();
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
        leases.releaseOverdue();
        suspects.endOverdue();
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
        suspects.releaseSlot();
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
        if (!context.hasDeadLetterListener().test(shard.topic())) {
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
        return context.store().enableNotifications(shard).thenApply(nothing -> true);
    }

    /** Begins a poll if there is a reason to poll. */
    private @Nullable Poll begin() {
        boolean due = nextPoll.hasDueMessages(isAssigned());
        int capacity = mayClaim() ? share.capacity() : 0;
        boolean peers = hasPeers();
        NextPoll.Plan plan = claiming ? plan(capacity, peers, due) : NextPoll.Plan.NEVER;
        if (!plan.isNow() && !leases.needPoll()) {
            return null;
        }
        nextPoll.began(plan);
        sweeping = plan.isNow() && plan.reason() == NextPoll.Reason.SWEEP;
        int reserved = share.reserve(Math.min(capacity, PollRequest.MAX_BATCH));
        return leases.begin(
                new Claiming(
                        reserved, PollRequest.MAX_BYTES, options.lease(), suspects.mayClaim(), false, share.handlers()),
                reclaiming,
                // with a greater capacity, the next poll of this poller claims the messages that this one leaves
                peers && capacity <= PollRequest.MAX_BATCH);
    }

    private NextPoll.Plan plan(int capacity, boolean peers, boolean due) {
        return nextPoll.plan(isAssigned(), peers, capacity, due, sweepNanos());
    }

    /** Without signals nothing can wake another poller, so each poller acts as assigned. */
    private boolean isAssigned() {
        return hasAssignment() || !context.signals().confirmed();
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
        EngineSettings settings = context.settings();
        boolean unconfirmed = hasAssignment() && !context.signals().confirmed();
        return (unconfirmed ? settings.unconfirmedSweep() : settings.sweep()).toNanos();
    }

    private boolean mayClaim() {
        return claiming && leases.waitingBytes() <= share.bytes();
    }

    private void apply(Poll poll, PollReply reply) {
        nextPoll.replied(reply, poll.request().signalDueMessagesLeft());
        long repliedAt = nanoTime.getAsLong();
        List<ClaimedDelivery> lost = leases.renewed(poll, reply, repliedAt);
        suspects.replied(reply.suspectsLeft());
        if (poll.request().claiming().max() > 0) {
            share.crashed(
                    reply.untilNextDue().isZero() && reply.claims().stream().anyMatch(ListenerShard::waitsForHandler));
        }
        take(poll, reply.claims(), repliedAt);
        suspects.requestSlot();
        // last: listeners and callbacks may throw anything, and the poll must be applied by then
        lost.forEach(this::publishLost);
        session.publish(poll, reply);
        if (sweeping && !reply.claims().isEmpty()) {
            context.events()
                    .publish(to -> to.sweepFound(recipient, reply.claims().size()));
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
                        leases, session.clock(), shard.topic(), claim, options, poll.sentAt(), repliedAt);
                if (claim.isolated()) {
                    suspects.take(delivery);
                } else {
                    taken.add(delivery);
                }
            }
            leases.add(taken);
        }
        if (!claiming) { // checked after the deliveries were added: a concurrent pause() releases them, or this does
            leases.releaseWaiting();
        }
        if (leases.areWaiting()) {
            try {
                consumer.dispatch();
                dispatched = true;
            } catch (RuntimeException | Error e) {
                // roundTrip() dispatches again after the poll is applied; if that fails too, it throws
            }
        }
    }

    private void publishLost(ClaimedDelivery delivery) {
        if (delivery.isStarted()) {
            context.events().publish(to -> to.leaseLost(recipient, delivery.id(), delivery.leaseEnd()));
        }
    }

    private Duration untilNext() {
        boolean mayClaim = mayClaim();
        boolean due = nextPoll.hasDueMessages(isAssigned());
        int granted = share.wants(mayClaim && due);
        int capacity = mayClaim ? granted : 0;
        long wait = UNTIL_WOKEN.toNanos();
        if (claiming) {
            wait = Math.min(wait, plan(capacity, hasPeers(), due).nanos());
        }
        return Duration.ofNanos(leases.nanosUntilPoll(wait));
    }

    /** Drops a poll that Redis rejected, so that a stop can end. */
    private void dropRejectedPoll() {
        Poll poll = session.open();
        if (poll != null && !claiming && !poll.mayHaveRun() && leases.hasSettledAll()) {
            session.end();
        }
    }

    private void endIfDrained() {
        if (ending && session.open() == null && leases.hasSettledAll()) {
            cancel();
            drained.complete(null);
        }
    }
}
