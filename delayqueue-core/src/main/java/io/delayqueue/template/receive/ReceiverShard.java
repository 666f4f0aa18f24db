package io.delayqueue.template.receive;

import io.delayqueue.consume.Demand;
import io.delayqueue.consume.NextPoll;
import io.delayqueue.consume.ShardPoller;
import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Durability;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisCallException;
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
import io.delayqueue.template.receive.ReceiverTopic.OpenClaim;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One shard of a received topic: the demand of the receivers that wait, and the settlements of their deliveries.
 *
 * <p>The shard is kept until its topic is deleted, because its session measures the time since the last poll. With a new
 * session Redis could not distinguish a jump of its clock from a time without receivers, and leases would end late.
 *
 * <p>Unless stated otherwise, the methods run one after the other in the {@link TopicTasks}. Any thread may settle.
 */
final class ReceiverShard implements Demand {

    private final ReceiverContext context;
    private final ReceiverTopic topic;
    private final Shard shard;
    private final ShardSession session;
    private final ShardPoller poller;
    private final NextPoll nextPoll;
    /** Whether the next claim takes a suspect. */
    private boolean suspectNext;
    /** Whether leases were overdue at the last claim. They are reclaimed even if no receiver waits. */
    private boolean overdueLeases;
    /** The newest receiver for which a claim found no message. */
    private long emptyUpTo;
    /** The failure of the last poll; null if it succeeded. */
    private @Nullable Throwable failure;
    /** The newest receiver at that failure. */
    private long failedUpTo;

    ReceiverShard(ReceiverContext context, ReceiverTopic topic, TopicTasks tasks, Shard shard) {
        this.context = context;
        this.topic = topic;
        this.shard = shard;
        this.session = new ShardSession(
                request -> context.store.poll(
                        shard,
                        request,
                        false,
                        request.settlements().isEmpty() ? Durability.NONE : context.durability(shard.topic())),
                context.consumer,
                context.sequence::incrementAndGet,
                context.nanoTime,
                context.events,
                new Recipient(shard.topic(), shard.kind(), null),
                completions -> context.complete(() -> completions.forEach(Runnable::run)));
        this.poller = new ShardPoller(session, context.nanoTime, this);
        this.nextPoll = poller.nextPoll();
        poller.schedule(tasks, topic.name());
    }

    Shard shard() {
        return shard;
    }

    RedisClock clock() {
        return session.clock();
    }

    // ---- receivers, by the topic -----------------------------------------------------------------------------------

    /** Begins to claim for receivers, which are numbered from 1. */
    Subscription listen() {
        overdueLeases = false;
        emptyUpTo = 0;
        nextPoll.pollNow(); // signals were not received until now
        return context.signals.listen(shard, poller);
    }

    /** Sends the next poll if there is a reason to poll. */
    void wake() {
        poller.wake();
    }

    /** Whether a claim is due, which also reclaims overdue leases. */
    boolean isReady() {
        return nanosUntilClaim() <= 0;
    }

    private long nanosUntilClaim() {
        long newest = topic.newestReceiver();
        if (emptyUpTo < newest) {
            return 0;
        }
        return newest > 0 ? plan().nanos() : overdueLeases ? nextPoll.nanosUntilLeaseEnd() : Long.MAX_VALUE;
    }

    private NextPoll.Plan plan() {
        NextPoll.Role role = new NextPoll.Role(true, false, context.sweep());
        return nextPoll.plan(role, 1, nextPoll.hasDueMessages(role));
    }

    /** The newest receiver for which a claim found no message. */
    long emptyUpTo() {
        return emptyUpTo;
    }

    /** The newest receiver that waited when the last poll failed; 0 if it succeeded. */
    long failedUpTo() {
        return failure == null ? 0 : failedUpTo;
    }

    /** Whether leases are overdue, which are reclaimed even if no receiver waits. */
    boolean hasOverdueLeases() {
        return overdueLeases;
    }

    @Nullable
    Throwable failure() {
        return failure;
    }

    // ---- polls -----------------------------------------------------------------------------------------------------

    @Override
    public @Nullable Poll begin() {
        if (!topic.uses(this) || topic.isClaiming() || !isReady()) {
            return session.size() == 0
                    ? null
                    : session.begin(Claiming.NOTHING, context.reclaiming(false), false, List.of());
        }
        nextPoll.began(topic.newestReceiver() > 0 ? plan() : NextPoll.Plan.NEVER);
        return session.begin(claiming(topic.beginClaim(this)), context.reclaiming(true), false, List.of());
    }

    /** What to claim: messages, or a suspect alone. If both are due, they take turns. */
    private Claiming claiming(OpenClaim begun) {
        if (begun.receivers().isEmpty()) {
            return Claiming.NOTHING;
        }
        Duration lease = begun.receivers().get(0).request.lease();
        int messages = begun.messages();
        return suspectNext
                ? new Claiming(0, PollRequest.MAX_BYTES, lease, true, true, 1)
                : new Claiming(messages, PollRequest.MAX_BYTES, lease, false, true, messages);
    }

    @Override
    public Duration untilReplied(Poll poll) {
        return PeriodicTask.UNTIL_WOKEN;
    }

    @Override
    public Duration untilNext() {
        if (session.size() > 0) {
            return Duration.ZERO;
        }
        long wait = topic.uses(this) ? nanosUntilClaim() : Long.MAX_VALUE;
        boolean blocked = wait <= 0 && topic.isClaiming(); // the end of the claim in progress wakes this shard
        return blocked || wait == Long.MAX_VALUE ? PeriodicTask.UNTIL_WOKEN : Duration.ofNanos(Math.max(0, wait));
    }

    @Override
    public void replied(Poll poll, PollReply reply) {
        OpenClaim ended = topic.endClaim(this);
        failure = null;
        if (ended == null) {
            // claims of a repeated poll: the start of their leases is unknown
            release(reply.claims());
            if (reply.limited()) {
                nextPoll.headAt(reply.nextDueMillis()); // the settlements may have given back a place
            }
            return;
        }
        boolean moreIsDue = reply.untilNextDue().isZero();
        suspectNext = reply.suspectsLeft() && !(poll.request().claiming().suspect() && moreIsDue);
        overdueLeases = reply.untilNextLeaseEnd().isZero();
        nextPoll.replied(reply, false);
        boolean claimsSuspect = !ended.receivers().isEmpty() && reply.suspectsLeft();
        if (!ended.receivers().isEmpty() && reply.claims().isEmpty() && !moreIsDue && !claimsSuspect) {
            emptyUpTo = ended.upTo();
        }
        topic.claimed(ended, poll, reply);
        if (claimsSuspect) { // last: it wakes this shard, but the others claim before it
            nextPoll.pollNow();
        }
    }

    @Override
    public void unregistered() {
        failure = null;
        topic.unregistered(this);
    }

    @Override
    public boolean failed(Throwable cause) {
        boolean passedOn = context.isClosed() || !(cause instanceof RedisCallException);
        Poll poll = session.inProgress();
        if (passedOn && poll != null) {
            session.end();
            session.fail(poll, cause);
        } else if (poll != null && !poll.isReceived()) {
            session.withdraw();
        }
        if (passedOn) {
            overdueLeases = false; // the next receiver reclaims them: a failure that was passed on has no back-off
            context.events.publish(events -> events.taskFailed(topic.name(), cause, Duration.ZERO));
        }
        boolean claimed = topic.endClaim(this) != null;
        if (claimed) {
            nextPoll.pollNow();
        }
        failure = cause;
        failedUpTo = topic.newestReceiver();
        topic.failed(this, claimed, cause);
        return passedOn;
    }

    /** Called when the receiver is closed: fails all settlements, except those of a poll in progress. */
    void close() {
        IllegalStateException closing = new IllegalStateException("the receiver was closed");
        Poll unsent = poller.isWaiting() ? null : session.inProgress();
        if (unsent != null) {
            session.end();
            session.fail(unsent, closing);
        }
        session.failWaiting(closing);
    }

    // ---- settlements -----------------------------------------------------------------------------------------------

    /** Whether a poll or settlements remain to be sent or repeated. Any thread may call this. */
    boolean isBusy() {
        return session.inProgress() != null || session.size() > 0;
    }

    /** Settles a claimed message with the next poll. */
    CompletableFuture<Boolean> settle(
            Claim claim, Settlement settlement, PendingSettlement.@Nullable DeliveryDetails delivery) {
        CompletableFuture<Boolean> accepted = add(settlement, delivery, claim.stored().length);
        poller.wake();
        return accepted;
    }

    /** Settles by receipt with the next poll. */
    CompletableFuture<Boolean> settle(Settlement settlement, ReceiptDetails receipt) {
        CompletableFuture<Boolean> accepted = add(settlement, receipt);
        poller.wake();
        return accepted;
    }

    /** Adds a settlement by receipt to the next poll. The caller must call {@link #wake} afterwards. */
    CompletableFuture<Boolean> add(Settlement settlement, ReceiptDetails receipt) {
        return add(settlement, receipt, PendingSettlement.UNKNOWN_SIZE);
    }

    /** The same for a lease, of which more is known than a receipt tells. */
    CompletableFuture<Boolean> add(
            Settlement settlement, PendingSettlement.@Nullable DeliveryDetails delivery, int messageBytes) {
        context.given.settled(shard.topic(), settlement);
        CompletableFuture<Boolean> accepted = new CompletableFuture<>();
        session.add(new PendingSettlement(settlement, delivery, context.now(), messageBytes, null, accepted));
        return accepted;
    }

    /** Releases claims that have no receiver. */
    void release(Iterable<Claim> claims) {
        for (Claim claim : claims) {
            settle(claim, new Settlement.Release(claim.id(), claim.token()), null);
        }
    }

    /** Dead-letters a message that cannot be decoded. */
    void deadLetter(Claim claim, UnreadableMessageException e) {
        Failure failed = new Failure(e.getClass().getName(), String.valueOf(e.getMessage()));
        settle(
                claim,
                new Settlement.ToDeadLetters(claim.id(), claim.token(), DeadLetterCause.UNREADABLE, failed),
                null);
    }
}
