package io.delayqueue.template.receive;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.QueueKind;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.redis.SignalSource.Subscription;
import io.delayqueue.store.Claim;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.TopicRegisteredAnewException;
import io.delayqueue.store.UnreadableMessageException;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.receive.ReceivePoller.Claimed;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The receivers that wait for one topic, served in the order of their requests. One call is in progress at a time: a
 * look-up of the topic's shards, or a poll that claims for the first receivers. The shards are polled in turn. The thread
 * that adds a receiver or that brings a reply applies the result and starts the next call. The task does so when a time
 * has come. Neither blocks.
 *
 * <p>Receivers are numbered from 1. The result of a call holds for all receivers that wait when the call starts: if a
 * shard has no message for the first receiver, it has none for the others. The fields named {@code upTo} are the
 * number of the newest receiver for which a result holds. A wait that has timed out ends when all shards are empty for
 * its receiver, or the topic is not registered, or the calls fail.
 *
 * <p>Receiving does not register a topic. An unregistered topic is looked up for each new receiver, and when
 * {@link AbsentTopics} reports that the topic may be registered.
 *
 * <p>An instance exists while receivers wait or leases of its shards are overdue, and for a second after a receiver was
 * added. Its lock guards all of its state.
 */
final class WaitingReceivers implements PeriodicTask {

    private static final Duration IDLE = Duration.ofDays(1);
    private static final Duration OVERDUE_POLL = Duration.ofSeconds(1);
    /** A client that receives again and again meets the instance of its last request. */
    private static final Duration KEPT = Duration.ofSeconds(1);
    /** Most messages of a poll for several receivers: they wait until it claimed the messages of all of them. */
    private static final int MAX_SHARED = 100;

    private final ReceiverContext context;
    private final String topic;
    private final Consumer<WaitingReceivers> onEnd;
    private final Recipient recipient;
    private final Object lock = new Object();
    private final Deque<Waiting> queue = new ArrayDeque<>();
    /** The number of the last receiver that was added. */
    private long added;
    /** When the last receiver was added. */
    private long addedAt;
    /** The look-up or poll in progress, or its result that was not applied yet. */
    private @Nullable Call call;
    /** The failed calls since the last success. */
    private @Nullable Outage outage;
    /** The newest receiver for which the last failed call was made. */
    private long failedUpTo;
    /** The shards of the topic; empty while they are unknown. */
    private List<PolledShard> shards = List.of();
    /** The index of the shard to poll first. */
    private int turn;
    /** The state of a topic whose shards are unknown. */
    private final UnknownTopic unknown = new UnknownTopic();
    /** Null before the first receiver is added. */
    private @Nullable TaskHandle handle;
    /** Whether the task was cancelled and no more receivers can be added. */
    private boolean ended;

    /**
     * Creates the queue of one topic.
     *
     * @param onEnd called without a lock when no receiver waits and this instance accepts no more requests
     */
    WaitingReceivers(ReceiverContext context, String topic, Consumer<WaitingReceivers> onEnd) {
        this.context = context;
        this.topic = topic;
        this.onEnd = onEnd;
        this.recipient = new Recipient(topic, QueueKind.MESSAGES, null);
    }

    /**
     * A waiting receiver.
     *
     * @param future its result; a receiver that cancels it leaves the queue at once, one that completes it leaves the
     *     queue at the next run
     * @param number its number in the order of requests
     * @param deadline when its wait times out, by the monotonic clock
     */
    private record Waiting(
            ReceiveRequest request, CompletableFuture<List<LeasedDelivery>> future, long number, long deadline) {

        /** Whether one poll can claim for both: its leases have one length, and either all or none are of lone messages. */
        boolean sharesPollWith(Waiting other) {
            return request.lease().equals(other.request.lease()) && (request.max() == 1) == (other.request.max() == 1);
        }
    }

    /** A look-up or a poll. */
    private static final class Call {

        /**
         * The receivers for which the poll claims, the first of the queue; none for a look-up, and for a poll that only
         * reclaims.
         */
        private final List<Waiting> receivers;
        /** The newest receiver for which the result holds. */
        private final long upTo;
        /** Applies the result and adds what to do without the lock; null until there is a result. */
        private @Nullable Consumer<List<Runnable>> result;

        Call(List<Waiting> receivers, long upTo) {
            this.receivers = receivers;
            this.upTo = upTo;
        }

        boolean claimsFor(Waiting receiver) {
            return !receivers.isEmpty() && receiver.number <= receivers.get(receivers.size() - 1).number;
        }

        int messages() {
            return receivers.stream()
                    .mapToInt(receiver -> receiver.request.max())
                    .sum();
        }
    }

    /** When to look up a topic whose shards are unknown, and what is known about it. */
    private final class UnknownTopic {

        /** The newest receiver for which a look-up found that the topic is not registered; 0 if that is outdated. */
        private long absentUpTo;
        /** Whether to look up the topic again, even without a new receiver. */
        private boolean again;
        /** Reports that the topic may be registered; null unless the topic was looked up. */
        private @Nullable Subscription subscription;
        /** The failure of the last listing of all topics; null if it succeeded. */
        private @Nullable Throwable listingFailure;

        boolean isToBeLookedUp() {
            return shards.isEmpty() && !queue.isEmpty() && (again || absentUpTo < newest());
        }

        /** Subscribes before the look-up, so that a registration after it is noticed. */
        void beginLookUp() {
            again = false;
            if (subscription == null) {
                subscription = context.absent.await(topic, WaitingReceivers.this);
            }
        }

        /** No wait ends before the result of a look-up that starts from now on. */
        void lookUpAgain() {
            again = true;
            absentUpTo = 0;
        }

        void notRegistered(long upTo) {
            absentUpTo = again ? 0 : upTo;
            listingFailure = null;
        }

        void unsubscribe() {
            if (subscription != null) {
                subscription.close();
                subscription = null;
            }
        }
    }

    /** A shard with its poller and the time of its next poll. */
    private final class PolledShard implements SignalListener {

        private final ReceivePoller poller;
        private final Subscription subscription;
        private long nextPoll;
        /** The earliest poll for which a signal asked since the last poll began; null without a signal. */
        private @Nullable Long signalled;
        /** Whether leases were overdue at the last poll. They are reclaimed even if no receiver waits. */
        private boolean overdueLeases;
        /** The newest receiver for which a poll found no message in this shard. */
        private long emptyUpTo;

        PolledShard(Shard shard) {
            this.poller = context.poller(shard);
            this.nextPoll = context.now();
            this.subscription = context.signals.listen(shard, this);
        }

        /** The time until the next poll, which claims for the waiting receivers or reclaims overdue leases. */
        long nanosUntilPoll(long now) {
            if (emptyUpTo < newest()) {
                return 0;
            }
            return queue.isEmpty() && !overdueLeases ? IDLE.toNanos() : nextPoll - now;
        }

        void applyReply(PollReply reply, Call poll) {
            boolean claimed = !poll.receivers.isEmpty();
            Duration sweep = context.sweep();
            overdueLeases = reply.untilNextLeaseEnd().isZero();
            Duration lease = overdueLeases ? OVERDUE_POLL : reply.untilNextLeaseEnd();
            // without a receiver the due time does not matter; a suspect is due now
            Duration due = !claimed ? sweep : reply.suspectsLeft() ? Duration.ZERO : reply.untilNextDue();
            nextPoll =
                    context.now() + Collections.min(List.of(due, lease, sweep)).toNanos();
            if (signalled != null && signalled - nextPoll < 0) {
                nextPoll = signalled;
            }
            boolean empty = reply.claims().isEmpty() && !reply.untilNextDue().isZero() && !reply.suspectsLeft();
            if (claimed && empty) {
                emptyUpTo = poll.upTo;
            }
        }

        @Override
        public void headAt(long dueMillis) {
            pollAt(poller.clock().isSet() ? poller.clock().nanosUntil(dueMillis) : 0);
        }

        @Override
        public void dueMessagesLeft(String consumer) {
            pollAt(0);
        }

        @Override
        public void resubscribed() {
            pollAt(0);
        }

        private void pollAt(long nanosFromNow) {
            synchronized (lock) {
                long now = context.now();
                long at = now + nanosFromNow;
                if (signalled == null || at - signalled < 0) {
                    signalled = at;
                }
                if (at - nextPoll < 0) {
                    nextPoll = at;
                }
                if (handle != null && !queue.isEmpty()) {
                    handle.wakeWithin(Duration.ofNanos(Math.max(0, nextPoll - now)));
                }
            }
        }
    }

    /** Adds a receiver; returns null if this instance has ended. */
    @Nullable
    CompletableFuture<List<LeasedDelivery>> receive(ReceiveRequest request) {
        CompletableFuture<List<LeasedDelivery>> future = new CompletableFuture<>();
        boolean first;
        synchronized (lock) {
            if (ended) {
                return null;
            }
            addedAt = context.now();
            queue.add(new Waiting(
                    request, future, ++added, addedAt + request.waitTime().toNanos()));
            first = handle == null;
            if (first) {
                handle = context.scheduler.schedule(name(), this);
            }
        }
        if (!first) {
            advance();
        }
        CompletableFuture<?> unused = future.whenComplete((deliveries, failure) -> {
            if (future.isCancelled()) {
                wake(); // the task removes the receiver from the queue
            }
        });
        return future;
    }

    private String name() {
        return "receive " + Printable.of(topic);
    }

    private void wake() {
        synchronized (lock) {
            if (handle != null) {
                handle.wake();
            }
        }
    }

    /** Does at once, on this thread, what the task would do. */
    private void advance() {
        List<Runnable> afterUnlock = new ArrayList<>();
        synchronized (lock) {
            Duration sleep = advance(afterUnlock);
            if (handle != null) {
                handle.wakeWithin(sleep);
            }
        }
        ReceiverContext.runAll(afterUnlock);
    }

    /** The newest waiting receiver; 0 if none waits. */
    private long newest() {
        Waiting last = queue.peekLast();
        return last == null ? 0 : last.number;
    }

    @Override
    public Duration run() {
        List<Runnable> afterUnlock = new ArrayList<>();
        Duration sleep;
        synchronized (lock) {
            sleep = advance(afterUnlock);
        }
        ReceiverContext.runAll(afterUnlock);
        return sleep;
    }

    /** Returns the time until the next run. */
    private Duration advance(List<Runnable> afterUnlock) {
        applyResult(afterUnlock);
        endWaits(afterUnlock);
        startCall(afterUnlock);
        Duration sleep = untilNextRun();
        if (ended) {
            afterUnlock.add(() -> onEnd.accept(this));
        }
        return sleep;
    }

    private void applyResult(List<Runnable> afterUnlock) {
        Consumer<List<Runnable>> result = call == null ? null : call.result;
        if (result != null) {
            call = null;
            result.accept(afterUnlock);
        }
    }

    /** Ends waits that have timed out and have nothing more to wait for. */
    private void endWaits(List<Runnable> afterUnlock) {
        long now = context.now();
        Throwable failure = outage != null ? outage.last() : shards.isEmpty() ? unknown.listingFailure : null;
        queue.removeIf(receiver -> {
            boolean ends = now - receiver.deadline >= 0 && hasNothingFor(receiver);
            if (ends) {
                afterUnlock.add(() -> context.complete(() -> endWait(receiver, failure)));
            }
            return ends || receiver.future.isDone();
        });
    }

    /** Whether each look-up or poll that the receiver waits for has ended without a message for it. */
    private boolean hasNothingFor(Waiting receiver) {
        if (call != null && call.claimsFor(receiver)) {
            return false;
        }
        if (outage != null) {
            return failedUpTo >= receiver.number;
        }
        if (shards.isEmpty()) {
            return unknown.absentUpTo >= receiver.number && !context.absent.isListing();
        }
        return shards.stream().allMatch(shard -> shard.emptyUpTo >= receiver.number);
    }

    private void endWait(Waiting receiver, @Nullable Throwable failure) {
        if (failure == null) {
            receiver.future.complete(List.of());
        } else {
            receiver.future.completeExceptionally(new DelayQueueUnavailableException(
                    "Nothing could be received from topic " + Printable.of(topic) + ": " + failure.getMessage(),
                    failure instanceof RedisCallException redis && redis.isOutcomeUnknown(),
                    failure));
        }
    }

    /** Starts the next look-up or poll, unless one is in progress. */
    private void startCall(List<Runnable> afterUnlock) {
        long now = context.now();
        if (call != null || (outage != null && outage.backsOff(now))) {
            return;
        }
        if (unknown.isToBeLookedUp()) {
            unknown.beginLookUp();
            Call lookUp = new Call(List.of(), newest());
            call = lookUp;
            afterUnlock.add(() -> lookUp(lookUp));
            return;
        }
        for (int i = 0; i < shards.size(); i++) {
            PolledShard shard = shards.get((turn + i) % shards.size());
            if (shard.nanosUntilPoll(now) <= 0) {
                turn = (turn + i + 1) % shards.size();
                shard.signalled = null;
                Call poll = new Call(firstReceivers(), newest());
                call = poll;
                afterUnlock.add(() -> poll(shard, poll));
                return;
            }
        }
    }

    /** The first receiver, and those behind it for which the same poll can claim. */
    private List<Waiting> firstReceivers() {
        List<Waiting> first = new ArrayList<>();
        int messages = 0;
        for (Waiting receiver : queue) {
            messages += receiver.request.max();
            if (!first.isEmpty() && (messages > MAX_SHARED || !receiver.sharesPollWith(first.get(0)))) {
                break;
            }
            first.add(receiver);
        }
        return first;
    }

    private void lookUp(Call lookUp) {
        CompletableFuture<?> unused = Completions.call(() -> context.topics.usableShards(topic))
                .whenComplete((found, failure) -> {
                    Throwable cause = failure == null ? null : Completions.cause(failure);
                    arrive(lookUp, afterUnlock -> lookedUp(lookUp, found, cause, afterUnlock));
                });
    }

    private void poll(PolledShard shard, Call poll) {
        Claiming claiming = poll.receivers.isEmpty()
                ? ReceivePoller.NOTHING
                : shard.poller.claiming(poll.receivers.get(0).request, poll.messages());
        CompletableFuture<?> unused = shard.poller.claim(claiming).whenComplete((claimed, failure) -> {
            boolean open = arrive(poll, afterUnlock -> polled(shard, poll, claimed, failure, afterUnlock));
            if (!open && claimed != null) {
                claimed.ifPresent(late -> shard.poller.release(late.reply().claims()));
            }
        });
    }

    /** Applies a result. Returns false if this instance has ended. */
    private boolean arrive(Call started, Consumer<List<Runnable>> result) {
        synchronized (lock) {
            if (ended) {
                return false;
            }
            started.result = result;
        }
        advance();
        return true;
    }

    private void lookedUp(
            Call lookUp, Optional<List<Shard>> found, @Nullable Throwable failure, List<Runnable> afterUnlock) {
        if (failure instanceof RedisCallException redis) {
            unknown.lookUpAgain();
            Duration failing = recordFailure(lookUp, redis);
            afterUnlock.add(() -> context.events.publish(events -> events.taskFailed(name(), redis, failing)));
        } else if (failure != null) {
            failAll(failure, afterUnlock);
        } else if (found.isEmpty()) {
            outage = null;
            unknown.notRegistered(lookUp.upTo);
        } else if (!ended) {
            outage = null;
            shards = found.get().stream().map(PolledShard::new).toList();
            context.received.begin(found.get().get(0));
            unknown.unsubscribe();
        }
    }

    private void polled(
            PolledShard shard,
            Call poll,
            Optional<Claimed> claimed,
            @Nullable Throwable failure,
            List<Runnable> afterUnlock) {
        if (failure instanceof RedisCallException redis) {
            recordFailure(poll, redis);
        } else if (failure instanceof TopicRegisteredAnewException || (failure == null && claimed.isEmpty())) {
            outage = null;
            context.forget(topic);
            forgetShards();
        } else if (failure != null) {
            failAll(failure, afterUnlock);
        } else {
            outage = null;
            shard.applyReply(claimed.get().reply(), poll);
            deliver(shard.poller, poll.receivers, claimed.get(), afterUnlock);
        }
    }

    /** Returns for how long calls have been failing. */
    private Duration recordFailure(Call failed, Throwable failure) {
        long now = context.now();
        outage = Outage.add(outage, failure, now);
        failedUpTo = failed.upTo;
        return outage.duration(now);
    }

    private void failAll(Throwable failure, List<Runnable> afterUnlock) {
        DelayQueueException exception =
                DelayQueueException.of("Receiving from topic " + Printable.of(topic) + " failed: " + failure, failure);
        queue.forEach(receiver ->
                afterUnlock.add(() -> context.complete(() -> receiver.future.completeExceptionally(exception))));
        queue.clear();
    }

    private void forgetShards() {
        if (!shards.isEmpty()) {
            shards.forEach(shard -> shard.subscription.close());
            context.received.end(shards.get(0).poller.shard());
            shards = List.of();
            unknown.lookUpAgain();
        }
    }

    /** Divides the claims among the receivers, in their order. Claims that none of them takes are released. */
    private void deliver(ReceivePoller poller, List<Waiting> receivers, Claimed claimed, List<Runnable> afterUnlock) {
        Deque<Claim> claims = new ArrayDeque<>(claimed.reply().claims());
        for (Waiting receiver : receivers) {
            if (!ended && !receiver.future.isDone() && !claims.isEmpty()) {
                deliver(poller, receiver, claims, claimed, afterUnlock);
            }
        }
        if (!claims.isEmpty()) {
            afterUnlock.add(() -> poller.release(List.copyOf(claims)));
        }
    }

    private void deliver(
            ReceivePoller poller, Waiting receiver, Deque<Claim> claims, Claimed claimed, List<Runnable> afterUnlock) {
        List<LeasedDelivery> deliveries = new ArrayList<>();
        while (deliveries.size() < receiver.request.max() && !claims.isEmpty()) {
            Claim claim = claims.remove();
            try {
                deliveries.add(
                        new DefaultLeasedDelivery(context, poller, claim, receiver.request.lease(), claimed.sentAt()));
            } catch (UnreadableMessageException e) {
                afterUnlock.add(() -> poller.deadLetter(claim, e));
            }
        }
        if (!deliveries.isEmpty()) {
            queue.remove(receiver);
            afterUnlock.add(() -> deliveries.forEach(
                    delivery -> publishStarted(delivery, claimed.reply().nowMicros())));
            afterUnlock.add(() -> context.complete(() -> {
                if (!receiver.future.complete(deliveries)) {
                    ReceiverContext.release(deliveries);
                }
            }));
        }
    }

    private void publishStarted(LeasedDelivery delivery, long nowMicros) {
        long lateMicros = nowMicros - delivery.dueAt().toEpochMilli() * 1000;
        Duration late = Duration.ofNanos(Math.max(0, lateMicros) * 1000);
        context.events.publish(events -> events.started(recipient, delivery.id(), delivery.attempt(), late));
    }

    /** Returns the time until the next run, and ends this instance if it is no longer needed. */
    private Duration untilNextRun() {
        long now = context.now();
        if (queue.isEmpty() && call == null && shards.stream().noneMatch(shard -> shard.overdueLeases)) {
            long kept = addedAt + KEPT.toNanos() - now;
            if (kept <= 0) {
                end();
            }
            return kept <= 0 ? IDLE : Duration.ofNanos(kept);
        }
        long wait = IDLE.toNanos();
        for (Waiting receiver : queue) {
            long left = receiver.deadline - now;
            // a receiver that has timed out waits for a reply
            wait = left > 0 ? Math.min(wait, left) : wait;
        }
        if (call == null) {
            long untilCall = unknown.isToBeLookedUp() ? 0 : IDLE.toNanos();
            for (PolledShard shard : shards) {
                untilCall = Math.min(untilCall, shard.nanosUntilPoll(now));
            }
            wait = Math.min(wait, outage == null ? untilCall : Math.max(untilCall, outage.retryAt() - now));
        }
        return Duration.ofNanos(Math.max(0, wait));
    }

    private void end() {
        ended = true;
        if (handle != null) {
            handle.cancel();
            handle = null;
        }
        forgetShards();
        unknown.unsubscribe();
    }

    /** Called by {@link AbsentTopics} when the topic may be registered. Does not block. */
    void appeared() {
        synchronized (lock) {
            if (unknown.subscription != null) {
                unknown.lookUpAgain();
                wake();
            }
        }
    }

    /**
     * Called by {@link AbsentTopics} when the listing of all topics does not have the topic. Does not block.
     *
     * @param failure of the listing; null if the topic is not registered
     */
    void notFound(@Nullable Throwable failure) {
        synchronized (lock) {
            unknown.listingFailure = failure;
        }
    }

    /** Called by {@link AbsentTopics} after a listing, when its result is known here. Does not block. */
    void listingEnded() {
        synchronized (lock) {
            long now = context.now();
            if (queue.stream().anyMatch(receiver -> now - receiver.deadline >= 0)) {
                wake();
            }
        }
    }

    /** Ends all waits with an empty result and releases what is being claimed. */
    void close() {
        List<Runnable> afterUnlock = new ArrayList<>();
        synchronized (lock) {
            queue.forEach(receiver -> afterUnlock.add(() -> receiver.future.complete(List.of())));
            queue.clear();
            end();
            applyResult(afterUnlock);
        }
        ReceiverContext.runAll(afterUnlock);
    }
}
