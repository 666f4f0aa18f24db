package io.delayqueue.template.receive;

import io.delayqueue.consume.NextPoll;
import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.Completions;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Durability;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.redis.SignalSource.Subscription;
import io.delayqueue.store.Claim;
import io.delayqueue.store.PendingSettlement;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.RedisClock;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.ShardSession;
import io.delayqueue.store.ShardSession.Poll;
import io.delayqueue.store.UnreadableMessageException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Polls one shard for receivers: settles deliveries and claims messages. One poll is in progress at a time; settlements
 * that arrive meanwhile are sent with the next poll. The task repeats a poll without a reply unchanged.
 *
 * <p>The {@link WaitingReceivers} of the topic ask when to claim, and report what the claims found. They call these
 * methods one after the other. All other methods are thread-safe. The lock guards the polls.
 */
final class ReceivePoller implements PeriodicTask, SignalListener {

    private static final Duration IDLE = Duration.ofDays(1);
    /** Claims nothing: the poll only settles or reclaims. */
    static final Claiming NOTHING = new Claiming(0, PollRequest.MAX_BYTES, Duration.ofSeconds(1));

    private final ReceiverContext context;
    private final Shard shard;
    private final ShardSession session;
    private final Object lock = new Object();
    /** The claim for the next poll. */
    private @Nullable ClaimCall nextClaim;
    /** The claim of the poll in progress. */
    private @Nullable ClaimCall sentClaim;
    /** Whether a poll was sent whose result is not known yet. */
    private boolean polling;
    /** The failed polls since the last success. */
    private @Nullable Outage outage;
    /** The task that sends polls after the back-off; null without failures. */
    private @Nullable TaskHandle repeating;

    private boolean closed;
    /** Whether the next claim takes a suspect. */
    private volatile boolean suspectNext;

    private final NextPoll nextPoll;
    /** Called after a signal while receivers wait. */
    private volatile Runnable onSignal = () -> {};

    // used by the waiting receivers
    /** Whether leases were overdue at the last claim. They are reclaimed even if no receiver waits. */
    private boolean overdueLeases;
    /** The newest receiver for which a claim found no message in this shard. */
    private long emptyUpTo;

    ReceivePoller(ReceiverContext context, Shard shard) {
        this.context = context;
        this.shard = shard;
        this.session = new ShardSession(
                request -> context.store.pollIfRegistered(
                        shard,
                        request,
                        request.settlements().isEmpty() ? Durability.NONE : context.durability(shard.topic())),
                context.consumer,
                context.sequence::incrementAndGet,
                context.nanoTime,
                context.events,
                new Recipient(shard.topic(), shard.kind(), null),
                completions -> context.complete(() -> completions.forEach(Runnable::run)));
        this.nextPoll = new NextPoll(context.consumer, session.clock(), context.nanoTime, () -> onSignal.run());
    }

    /**
     * The reply to a claim.
     *
     * @param sentAt when the poll was sent, by the monotonic clock; the leases started then or later
     */
    record Claimed(PollReply reply, long sentAt) {}

    /** A claim that waits for the next poll or is part of the current one. */
    private record ClaimCall(Claiming claiming, CompletableFuture<Optional<Claimed>> result) {}

    Shard shard() {
        return shard;
    }

    RedisClock clock() {
        return session.clock();
    }

    // ---- for waiting receivers -------------------------------------------------------------------------------------

    /**
     * Begins to claim for receivers, which are numbered from 1.
     *
     * @param wake called after each signal
     */
    Subscription begin(Runnable wake) {
        overdueLeases = false;
        emptyUpTo = 0;
        nextPoll.pollNow(); // signals were not received until now
        onSignal = wake;
        Subscription signals = context.signals.listen(shard, this);
        return () -> {
            signals.close();
            onSignal = () -> {};
        };
    }

    /**
     * The time until the next claim, which also reclaims overdue leases.
     *
     * @param newest number of the newest waiting receiver; 0 if none waits
     */
    long nanosUntilClaim(long newest) {
        if (isUntried(newest)) {
            return 0;
        }
        return newest > 0 ? plan().nanos() : overdueLeases ? nextPoll.nanosUntilLeaseEnd() : IDLE.toNanos();
    }

    private NextPoll.Plan plan() {
        return nextPoll.plan(
                true, false, 1, nextPoll.hasDueMessages(true), context.sweep().toNanos());
    }

    /** Whether no claim was tried for all receivers up to a number since they wait. */
    boolean isUntried(long newest) {
        return emptyUpTo < newest;
    }

    /** Whether leases are overdue, which are reclaimed even if no receiver waits. */
    boolean hasOverdueLeases() {
        return overdueLeases;
    }

    /** Records that the next claim begins. */
    void beginClaim(long newest) {
        nextPoll.began(newest > 0 ? plan() : NextPoll.Plan.NEVER);
    }

    /**
     * Records what a claim found.
     *
     * @param forReceivers whether it claimed messages, and did not only reclaim leases
     * @param upTo number of the newest receiver for which the result holds
     */
    void endClaim(PollReply reply, boolean forReceivers, long upTo) {
        nextPoll.replied(reply, false);
        overdueLeases = reply.untilNextLeaseEnd().isZero();
        if (forReceivers && reply.suspectsLeft()) {
            nextPoll.pollNow();
        } else if (forReceivers
                && reply.claims().isEmpty()
                && !reply.untilNextDue().isZero()) {
            emptyUpTo = upTo;
        }
    }

    /** Records that a claim failed: it is tried again. */
    void claimFailed() {
        nextPoll.pollNow();
    }

    @Override
    public void headAt(long dueMillis) {
        nextPoll.headAt(dueMillis);
    }

    @Override
    public void dueMessagesLeft(String by) {
        nextPoll.dueMessagesLeft(by);
    }

    @Override
    public void resubscribed() {
        nextPoll.pollNow();
    }

    // ---- polls -----------------------------------------------------------------------------------------------------

    /** Whether a poll or settlements remain to be sent or repeated. */
    boolean isBusy() {
        return session.open() != null || session.size() > 0;
    }

    /**
     * Claims with the next poll, one claim at a time. A poll that waits for its repeat is repeated at once.
     *
     * @return the reply; empty if the topic is no longer registered. Fails if this poll or the previous one had no
     *     reply. Its dependents must not block
     */
    CompletableFuture<Optional<Claimed>> claim(Claiming claiming) {
        ClaimCall call = new ClaimCall(claiming, new CompletableFuture<>());
        synchronized (lock) {
            nextClaim = call;
            if (outage != null) {
                outage = outage.retryNow(context.now());
            }
        }
        sendNext();
        return call.result;
    }

    /**
     * What to claim for receivers: messages, or a suspect alone. If both are due, they take turns.
     *
     * @param first the request of the first receiver
     * @param messages the most messages of all receivers
     */
    Claiming claiming(ReceiveRequest first, int messages) {
        return suspectNext
                ? new Claiming(0, PollRequest.MAX_BYTES, first.lease(), true, true, 1)
                : new Claiming(messages, PollRequest.MAX_BYTES, first.lease(), false, true, messages);
    }

    /** Settles a claimed message with the next poll. */
    CompletableFuture<Boolean> settle(
            Claim claim, Settlement settlement, PendingSettlement.@Nullable Attempt delivery) {
        CompletableFuture<Boolean> accepted = add(settlement, delivery, claim.stored().length);
        sendNext();
        return accepted;
    }

    /** Settles by receipt with the next poll. */
    CompletableFuture<Boolean> settle(Settlement settlement, Receipt receipt) {
        CompletableFuture<Boolean> accepted = add(settlement, receipt);
        sendNext();
        return accepted;
    }

    /** Adds a settlement by receipt to the next poll. The caller must call {@link #sendNext} afterwards. */
    CompletableFuture<Boolean> add(Settlement settlement, Receipt receipt) {
        return add(settlement, receipt, PendingSettlement.UNKNOWN_SIZE);
    }

    private CompletableFuture<Boolean> add(
            Settlement settlement, PendingSettlement.@Nullable Attempt delivery, int messageBytes) {
        CompletableFuture<Boolean> accepted = new CompletableFuture<>();
        session.add(new PendingSettlement(settlement, delivery, context.now(), messageBytes, null, accepted));
        return accepted;
    }

    /** Releases claims that have no receiver. */
    void release(List<Claim> claims) {
        for (Claim claim : claims) {
            CompletableFuture<?> unused = settle(claim, new Settlement.Release(claim.id(), claim.token()), null);
        }
    }

    /** Dead-letters a message that cannot be decoded. */
    void deadLetter(Claim claim, UnreadableMessageException e) {
        Failure failure = new Failure(e.getClass().getName(), String.valueOf(e.getMessage()));
        CompletableFuture<?> unused = settle(
                claim,
                new Settlement.ToDeadLetters(claim.id(), claim.token(), DeadLetterCause.UNREADABLE, failure),
                null);
    }

    /** Sends the next poll if there is something to send. If a poll is in progress, its reply does so. */
    void sendNext() {
        Poll poll;
        synchronized (lock) {
            if (polling) {
                return;
            }
            if (outage != null && outage.backsOff(context.now())) {
                repeatAfter(outage);
                return;
            }
            poll = session.open();
            if (poll == null) {
                ClaimCall claim = nextClaim;
                if (claim == null && session.size() == 0) {
                    return;
                }
                nextClaim = null;
                sentClaim = claim;
                Claiming claiming = claim == null ? NOTHING : claim.claiming;
                poll = session.begin(claiming, context.reclaiming(claim != null), false, List.of());
            }
            polling = true;
        }
        Poll sent = poll;
        CompletableFuture<?> unused = session.send(poll).whenComplete((reply, failure) -> {
            if (failure != null) {
                failed(sent, Completions.cause(failure));
            } else if (reply.isPresent()) {
                replied(sent, reply.get());
            } else {
                topicDeleted(sent);
            }
        });
    }

    private void replied(Poll poll, PollReply reply) {
        ClaimCall claim = end();
        if (claim == null) {
            // claims of a repeated poll: the start of their leases is unknown
            release(reply.claims());
        } else {
            boolean othersNext =
                    claim.claiming.suspect() && reply.untilNextDue().isZero();
            suspectNext = reply.suspectsLeft() && !othersNext;
            claim.result.complete(Optional.of(new Claimed(reply, poll.sentAt())));
        }
        session.publish(poll, reply);
        sendNext();
    }

    private void topicDeleted(Poll poll) {
        ClaimCall claim = end();
        context.forget(shard.topic());
        if (claim != null) {
            claim.result.complete(Optional.empty());
        }
        session.rejectUnregistered(poll);
        sendNext();
    }

    private void failed(Poll poll, Throwable cause) {
        ClaimCall next;
        ClaimCall claim;
        Duration failing;
        boolean abandoned;
        synchronized (lock) {
            long now = context.now();
            Outage failed = Outage.add(outage, cause, now);
            failing = failed.duration(now);
            polling = false;
            next = nextClaim;
            claim = sentClaim;
            nextClaim = null;
            sentClaim = null;
            abandoned = closed || !(cause instanceof RedisCallException);
            if (abandoned) {
                outage = null;
                session.end();
            } else {
                outage = failed;
                if (!poll.isReceived()) {
                    session.withdraw();
                }
                if (isBusy()) {
                    repeatAfter(failed);
                }
            }
        }
        String name = name();
        context.events.publish(events -> events.taskFailed(name, cause, failing));
        if (abandoned) {
            session.fail(poll, cause);
        }
        if (claim != null) {
            claim.result.completeExceptionally(cause);
        }
        if (next != null) {
            next.result.completeExceptionally(cause);
        }
        if (abandoned) {
            sendNext();
        }
    }

    private String name() {
        return "receive " + Printable.of(shard.topic());
    }

    private void repeatAfter(Outage present) {
        if (repeating == null) {
            repeating = context.scheduler.schedule(name(), this);
        } else {
            repeating.wakeWithin(Duration.ofNanos(present.retryAt() - context.now()));
        }
    }

    private @Nullable ClaimCall end() {
        synchronized (lock) {
            session.end();
            polling = false;
            outage = null;
            stopRepeating();
            ClaimCall claim = sentClaim;
            sentClaim = null;
            return claim;
        }
    }

    private void stopRepeating() {
        if (repeating != null) {
            repeating.cancel();
            repeating = null;
        }
    }

    @Override
    public Duration run() {
        synchronized (lock) {
            long now = context.now();
            if (outage != null && !polling && outage.backsOff(now)) {
                return Duration.ofNanos(outage.retryAt() - now);
            }
        }
        sendNext();
        return IDLE;
    }

    /** Fails all settlements, except those of a poll in progress. From now on each poll is sent once. */
    void close() {
        Poll unsent = null;
        synchronized (lock) {
            closed = true;
            outage = null;
            stopRepeating();
            if (!polling) {
                unsent = session.open();
                session.end();
            }
        }
        IllegalStateException closing = new IllegalStateException("the receiver was closed");
        if (unsent != null) {
            session.fail(unsent, closing);
        }
        session.failWaiting(closing);
    }
}
