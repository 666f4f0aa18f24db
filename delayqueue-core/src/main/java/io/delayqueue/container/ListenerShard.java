package io.delayqueue.container;

import io.delayqueue.consume.Demand;
import io.delayqueue.consume.NextPoll;
import io.delayqueue.consume.ShardPoller;
import io.delayqueue.coordination.Membership.ShardAssignment;
import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Durability;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
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
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One shard of a running listener: the demand of its workers, and the open deliveries.
 *
 * <p>Only the poller begins polls and applies replies. Other threads use the {@link #deliveries()} and the suspects, and
 * switch {@link #claiming}.
 */
final class ListenerShard implements Demand {

    private static final int MAX_RECLAIM = 100;
    /** Time for which a poll without a reply keeps its part of the claim budget. */
    private static final long RESERVATION_TIME = Duration.ofSeconds(1).toNanos();
    /** Time in which a running owner reconnects and renews its leases after an outage. */
    private static final Duration RECONNECT_TIME = Duration.ofSeconds(3);
    /** Interval at which dead-letter notifications are enabled again: Redis may have been flushed or restored. */
    private static final long ENABLE_INTERVAL = Duration.ofMinutes(1).toNanos();

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final ListenerContext context;
    private final Shard shard;
    private final ListenerOptions options;
    private final Recipient recipient;
    private final ListenerRun run;
    private final ShardPoller poller;
    private final ShardSession session;
    private final NextPoll nextPoll;
    private final LongSupplier nanoTime;
    private final ClaimBudget.Share share;
    private final OpenDeliveries deliveries;
    private final Suspects suspects;
    private final Reclaiming reclaiming;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();

    private Runnable removeConsumer = () -> {};
    private @Nullable Subscription subscription;
    private volatile boolean claiming;

    /** Null before claims start. */
    private volatile @Nullable ShardAssignment assignment;

    private volatile boolean ending;

    /** Whether the poll in progress is a sweep. */
    private boolean sweeping;

    /** When notifications are to be enabled. */
    private long enableNext;
    /** Whether deliveries wait for a worker that could not be started. */
    private volatile boolean workerMissing;

    /**
     * Creates the shard of a listener; {@link #start} starts it.
     *
     * @param budget limits the claims of all shards of the listener
     * @param attempts counts and logs the attempts of all shards of the listener
     * @param failsAlone receives these attempts, too
     */
    ListenerShard(
            ListenerContext context,
            ListenerSpec spec,
            Shard shard,
            ClaimBudget budget,
            AttemptLog attempts,
            FailsAlone failsAlone,
            ListenerRun run) {
        this.context = context;
        this.shard = shard;
        this.options = spec.options();
        this.recipient = new Recipient(spec.topic(), spec.kind(), spec.id());
        this.run = run;
        this.nanoTime = context.nanoTime();
        this.session = new ShardSession(
                this::poll,
                context.consumerNames().get(),
                new AtomicLong()::incrementAndGet,
                nanoTime,
                context.events(),
                recipient,
                this::complete);
        this.poller = new ShardPoller(session, nanoTime, this);
        this.nextPoll = poller.nextPoll();
        this.enableNext = nanoTime.getAsLong();
        this.share = budget.share(poller);
        this.deliveries = new OpenDeliveries(
                context.settings(), nanoTime, options, session, share, attempts, failsAlone, poller, () -> claiming);
        this.suspects = new Suspects(
                context, deliveries, options.handlingTime(), () -> claiming, nextPoll::pollNow, run::handleInIsolation);
        Duration renewal = options.lease().dividedBy(3);
        this.reclaiming = new Reclaiming(
                MAX_RECLAIM,
                options.maxAttempts(),
                context.settings().crashes(),
                Reclaiming.gapFor(context.settings().sweep()),
                renewal.compareTo(RECONNECT_TIME) > 0 ? renewal : RECONNECT_TIME);
    }

    /**
     * Polls, after dead-letter notifications of the topic were enabled if that is due: before a poll can dead-letter a
     * message, even if the dead-letter listener has not polled yet.
     */
    private CompletableFuture<Optional<PollReply>> poll(PollRequest request) {
        return enableNotificationsIfDue()
                .thenCompose(enabled -> context.store().poll(shard, request, true, Durability.NONE));
    }

    private CompletableFuture<Void> enableNotificationsIfDue() {
        long now = nanoTime.getAsLong();
        if (now - enableNext < 0) {
            return DONE;
        }
        CompletableFuture<Void> enabled = context.runs().hasDeadLetterListener(shard.topic())
                ? context.store().enableNotifications(shard)
                : DONE;
        // from the time of the call, not of the reply: Redis may have been flushed since it replied
        return enabled.thenRun(() -> enableNext = now + ENABLE_INTERVAL);
    }

    // ---- lifecycle -------------------------------------------------------------------------------------------------

    /**
     * Subscribes to signals and schedules the poller. Claims start with {@link #resume()}.
     *
     * @param name of the task, for the log
     */
    void start(String name) {
        removeConsumer = context.membership().addConsumer(shard);
        subscription = context.signals().listen(shard, poller);
        poller.schedule(context.tasks(), name);
    }

    /** Joins the nodes among which the shard is assigned. */
    void join() {
        assignment = context.membership().join(shard, nextPoll::pollNow);
    }

    /** Starts to claim messages: after {@link #join()}, or as a probe, which changes no assignment. */
    void resume() {
        claiming = true;
        nextPoll.pollNow();
    }

    /** Stops claiming and releases the waiting deliveries. */
    void pause() {
        claiming = false;
        deliveries.releaseWaiting();
        suspects.releaseSlot();
        poller.wake();
    }

    /**
     * Ends the shard after {@link #pause()}: it is polled until nothing is open.
     *
     * @return completes when no delivery is open and every settlement has its reply
     */
    CompletableFuture<Void> end() {
        stopListening();
        ending = true;
        poller.wake();
        return drained;
    }

    /** Ends at once and fails open settlements: the shard no longer exists. */
    void drop() {
        stopListening();
        poller.cancel();
        leave();
        share.close();
        claiming = false;
        suspects.releaseSlot();
        deliveries.abandon(new IllegalStateException("Topic " + Printable.of(shard.topic())
                + " was registered again with another number of shards before Redis replied"));
    }

    /** Leaves the nodes among which the shard is assigned. */
    void leave() {
        ShardAssignment current = assignment;
        if (current != null) {
            assignment = null;
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
        deliveries.abandon(new IllegalStateException("The delay queue engine was closed before Redis replied"));
    }

    /** Runs each completion on a handler thread: callbacks of users may block. */
    private void complete(List<Runnable> completions) {
        for (Runnable completion : completions) {
            Completions.on(context.handlers(), completion);
        }
    }

    /** The open deliveries. */
    OpenDeliveries deliveries() {
        return deliveries;
    }

    /** The progress of the poller. */
    ListenerProgress progress() {
        return poller.progress();
    }

    /** Starts a worker with the next run, which begins now: it could not be started here. */
    void workerMissing() {
        workerMissing = true;
        poller.wake();
    }

    @Override
    public void cancelledOrReplaced(String id) {
        deliveries.cancelledOrReplaced(id);
    }

    // ---- one round trip --------------------------------------------------------------------------------------------

    @Override
    public void beforeRun() {
        deliveries.releaseOverdue();
        suspects.endOverdue();
    }

    @Override
    public void afterRun() {
        if (ending && session.inProgress() == null && deliveries.hasSettledAll()) {
            poller.cancel();
            drained.complete(null);
        }
        if (workerMissing) { // last: a missing worker must not affect the poll
            workerMissing = false;
            startWorker();
        }
    }

    private void startWorker() {
        try {
            run.workers().dispatch();
        } catch (RuntimeException | Error e) {
            workerMissing = true;
            throw e;
        }
    }

    @Override
    public boolean failed(Throwable failure) {
        share.endReservation();
        share.wants(false);
        suspects.releaseSlot();
        Poll poll = session.inProgress();
        if (poll != null && !claiming && !poll.mayHaveRun() && deliveries.hasSettledAll()) {
            session.end(); // Redis rejected it; without it a stop can end
        }
        if (failure instanceof TopicRegisteredAnewException) {
            run.registeredAnew(this);
        }
        return false;
    }

    @Override
    public void unregistered() {
        throw new IllegalStateException("A listener's poll registers its topic");
    }

    /**
     * A late reply still contains claims, so the poll keeps its part of the claim budget at first. Then it frees the
     * part, because an unresponsive master must not hold the budget of other shards.
     */
    @Override
    public Duration untilReplied(Poll poll) {
        if (!share.isShared() && !poll.request().claiming().suspect()) {
            return PeriodicTask.UNTIL_WOKEN; // no other shard waits
        }
        long left = poll.polledAt() + RESERVATION_TIME - nanoTime.getAsLong();
        if (left > 0) {
            return Duration.ofNanos(left);
        }
        share.endReservation();
        share.wants(false);
        suspects.releaseSlot();
        return PeriodicTask.UNTIL_WOKEN;
    }

    @Override
    public @Nullable Poll begin() {
        NextPoll.Role role = role();
        boolean due = nextPoll.hasDueMessages(role);
        int capacity = mayClaim() ? share.capacity() : 0;
        NextPoll.Plan plan = claiming ? nextPoll.plan(role, capacity, due) : NextPoll.Plan.NEVER;
        if (!plan.isNow() && !deliveries.needPoll()) {
            return null;
        }
        nextPoll.began(plan);
        sweeping = plan.isNow() && plan.reason() == NextPoll.Reason.SWEEP;
        int reserved = share.reserve(Math.min(capacity, PollRequest.MAX_BATCH));
        return deliveries.begin(
                new Claiming(
                        reserved, PollRequest.MAX_BYTES, options.lease(), suspects.mayClaim(), false, share.handlers()),
                reclaiming,
                // with a greater capacity, the next poll of this node claims the messages that this one leaves
                role.hasPeers() && capacity <= PollRequest.MAX_BATCH);
    }

    /**
     * Without signals nothing can wake another poller, so each poller acts as assigned. A probe does, too: all other
     * nodes may wait for the same system.
     */
    private NextPoll.Role role() {
        ShardAssignment current = assignment;
        boolean assigned = current != null && current.isAssigned();
        boolean confirmed = context.signals().confirmed();
        EngineSettings settings = context.settings();
        return new NextPoll.Role(
                current == null || assigned || !confirmed,
                current == null || current.hasPeers(),
                assigned && !confirmed ? settings.unconfirmedSweep() : settings.sweep());
    }

    private boolean mayClaim() {
        return claiming && deliveries.waitingBytes() <= share.bytes();
    }

    @Override
    public void replied(Poll poll, PollReply reply) {
        nextPoll.replied(reply, poll.request().signalDueMessagesLeft());
        long repliedAt = nanoTime.getAsLong();
        List<ClaimedDelivery> lost = deliveries.renewed(poll, reply, repliedAt);
        suspects.replied(reply.suspectsLeft());
        if (poll.request().claiming().max() > 0) {
            share.claimsNothingInAdvance(reply.limited()
                    || (reply.untilNextDue().isZero()
                            && reply.claims().stream().anyMatch(ListenerShard::waitsForHandler)));
        }
        take(poll, reply.claims(), repliedAt);
        suspects.requestSlot();
        share.endReservation();
        lost.forEach(this::publishLost);
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
                        deliveries, session.clock(), shard, claim, options, poll.polledAt(), repliedAt);
                if (claim.isolated()) {
                    suspects.take(delivery);
                } else {
                    taken.add(delivery);
                }
            }
            deliveries.add(taken);
        }
        if (!claiming) { // checked after the deliveries were added: a concurrent pause() releases them, or this does
            deliveries.releaseWaiting();
        }
        if (deliveries.areWaiting()) {
            try {
                startWorker();
            } catch (RuntimeException | Error e) {
                // afterRun() tries again after the poll is applied; if that fails, too, the run fails
            }
        }
    }

    private void publishLost(ClaimedDelivery delivery) {
        if (delivery.isStarted()) {
            context.events().publish(to -> to.leaseLost(recipient, delivery.id(), delivery.leaseEnd()));
        }
    }

    @Override
    public Duration untilNext() {
        boolean mayClaim = mayClaim();
        NextPoll.Role role = role();
        boolean due = nextPoll.hasDueMessages(role);
        int granted = share.wants(mayClaim && due);
        int capacity = mayClaim ? granted : 0;
        long wait = PeriodicTask.UNTIL_WOKEN.toNanos();
        if (claiming) {
            wait = Math.min(wait, nextPoll.plan(role, capacity, due).nanos());
        }
        return Duration.ofNanos(deliveries.nanosUntilPoll(wait));
    }
}
