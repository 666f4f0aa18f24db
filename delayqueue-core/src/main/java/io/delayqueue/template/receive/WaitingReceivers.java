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
import io.delayqueue.store.PollRequest;
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
 * The receivers that wait for one topic, served in the order of their requests. Each poll claims for the first
 * receiver, from the shards in turn. A shard without messages for the first receiver has none for the others. The task
 * never blocks: replies wake it.
 *
 * <p>The task looks up the shards for the first receiver, and again after the topic was registered again. Receiving
 * does not register a topic. An unregistered topic is looked up for each new receiver, and when {@link AbsentTopics}
 * reports that the topic may be registered.
 *
 * <p>An instance exists only while receivers wait or leases of its shards are overdue. Its lock guards all of its
 * state.
 */
final class WaitingReceivers implements PeriodicTask {

    private static final Duration IDLE = Duration.ofDays(1);
    private static final Duration OVERDUE_POLL = Duration.ofSeconds(1);

    private final ReceiverContext context;
    private final String topic;
    private final Consumer<WaitingReceivers> onIdle;
    private final Recipient recipient;
    private final Object lock = new Object();
    private final Deque<Waiting> queue = new ArrayDeque<>();
    private @Nullable TaskHandle handle;
    /** Empty until the topic's shards are known. */
    private List<PolledShard> shards = List.of();

    private int turn;
    /** Whether a claim or a look-up is in progress; one at a time. */
    private boolean busy;
    /** The receiver of the claim in progress. */
    private @Nullable Waiting served;
    /** Applies the result of the claim or look-up; run by the task. */
    private @Nullable Consumer<List<Runnable>> arrived;

    private @Nullable Outage outage;
    private @Nullable Subscription awaiting;
    /** The failure of the last sweep for the unregistered topic. */
    private @Nullable Throwable sweepFailure;
    /** Whether to look up the topic again, even without a new receiver. */
    private boolean appeared;

    /** The arrival of the newest receiver for which a look-up found that the topic is not registered. */
    private long absentUpTo;

    private long arrivals;
    private boolean dropped;
    private boolean closed;

    /**
     * Creates the queue of one topic.
     *
     * @param onIdle called without a lock when no receiver waits and this instance accepts no more requests
     */
    WaitingReceivers(ReceiverContext context, String topic, Consumer<WaitingReceivers> onIdle) {
        this.context = context;
        this.topic = topic;
        this.onIdle = onIdle;
        this.recipient = new Recipient(topic, QueueKind.MESSAGES, null);
    }

    /**
     * A waiting receiver.
     *
     * @param future its result; a receiver that completes or cancels it leaves the queue
     * @param arrival its number in the order of requests, from 1
     * @param deadline when its wait times out, by the monotonic clock
     */
    private record Waiting(
            ReceiveRequest request, CompletableFuture<List<LeasedDelivery>> future, long arrival, long deadline) {

        boolean isOver(long now) {
            return now - deadline >= 0;
        }
    }

    /**
     * A series of failed calls.
     *
     * @param failures number of failures in a row
     * @param upTo the arrival of the newest receiver when the last failed call started
     */
    private record Outage(RedisCallException last, int failures, long sinceNanos, long retryNanos, long upTo) {}

    /** A shard with its poller and the time of its next poll. */
    private final class PolledShard implements SignalListener {

        private final ReceivePoller poller;
        private final Subscription subscription;
        private long nextPoll;
        private long signalled;
        private boolean hasSignal;
        private boolean overdueLeases;
        /** The arrival of the newest receiver for which a poll found no message in this shard. */
        private long emptyUpTo;

        PolledShard(Shard shard) {
            this.poller = context.poller(shard);
            this.nextPoll = context.now();
            this.subscription = context.signals.listen(shard, this);
        }

        /** Whether to poll: to claim for the waiting receivers, or to reclaim overdue leases. */
        boolean isToBePolled(boolean hasReceivers, long newest, long now) {
            boolean isTime = now - nextPoll >= 0;
            return hasReceivers ? isTime || emptyUpTo < newest : overdueLeases && isTime;
        }

        /**
         * Sets the time of the next poll.
         *
         * @param claimed whether the poll claimed for a receiver
         * @param upTo the arrival of the newest receiver when the claim started
         */
        void replied(PollReply reply, boolean claimed, long upTo, long now) {
            Duration sweep = context.sweep();
            overdueLeases = reply.untilNextLeaseEnd().isZero();
            Duration lease = overdueLeases ? OVERDUE_POLL : reply.untilNextLeaseEnd();
            // without a receiver the due time does not matter
            Duration due = claimed ? reply.untilNextDue() : sweep;
            nextPoll = now + Collections.min(List.of(due, lease, sweep)).toNanos();
            if (hasSignal && signalled - nextPoll < 0) {
                nextPoll = signalled;
            }
            boolean empty = reply.claims().isEmpty() && !reply.untilNextDue().isZero();
            if (claimed && empty) {
                emptyUpTo = upTo;
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
                if (!hasSignal || at - signalled < 0) {
                    signalled = at;
                    hasSignal = true;
                }
                if (at - nextPoll < 0) {
                    nextPoll = at;
                }
                if (handle != null) {
                    handle.wakeWithin(Duration.ofNanos(Math.max(0, nextPoll - now)));
                }
            }
        }
    }

    /** Adds a receiver; returns null if this instance accepts no more requests. */
    @Nullable
    CompletableFuture<List<LeasedDelivery>> receive(ReceiveRequest request) {
        CompletableFuture<List<LeasedDelivery>> future = new CompletableFuture<>();
        synchronized (lock) {
            if (closed) {
                throw new IllegalStateException("The receiver was closed");
            }
            if (dropped) {
                return null;
            }
            long deadline = context.now() + request.waitTime().toNanos();
            queue.add(new Waiting(request, future, ++arrivals, deadline));
            schedule();
        }
        CompletableFuture<?> unused = future.whenComplete((deliveries, failure) -> {
            if (future.isCancelled()) {
                wake();
            }
        });
        return future;
    }

    /** Wakes the task, which removes cancelled receivers from the queue at once. */
    private void wake() {
        synchronized (lock) {
            if (handle != null) {
                handle.wake();
            }
        }
    }

    private String name() {
        return "receive " + Printable.of(topic);
    }

    private void schedule() {
        if (handle == null) {
            handle = context.scheduler.schedule(name(), this);
        } else {
            handle.wake();
        }
    }

    @Override
    public Duration run() {
        List<Runnable> outside = new ArrayList<>();
        Duration sleep;
        synchronized (lock) {
            Consumer<List<Runnable>> result = arrived;
            if (result != null) {
                arrived = null;
                busy = false;
                served = null;
                result.accept(outside);
            }
            endWaits(outside);
            pollNext(outside);
            sleep = sleep();
            if (dropped) {
                outside.add(() -> onIdle.accept(this));
            }
        }
        ReceiverContext.runAll(outside);
        return sleep;
    }

    /** Looks up the shards of the topic. */
    private void lookUp(long upTo) {
        CompletableFuture<?> unused = ReceiverContext.call(() -> context.topics.usableShards(topic))
                .whenComplete((found, failure) -> {
                    Throwable cause = failure == null ? null : Completions.cause(failure);
                    arrive(outside -> lookedUp(found, cause, upTo, outside));
                });
    }

    /**
     * Polls a shard.
     *
     * @param receiver the receiver to claim for; null to reclaim only
     * @param upTo the arrival of the newest receiver
     */
    private void claim(PolledShard shard, @Nullable Waiting receiver, long upTo) {
        Claiming claiming = receiver == null
                ? ReceivePoller.NOTHING
                : new Claiming(receiver.request.max(), PollRequest.MAX_BYTES, receiver.request.lease());
        CompletableFuture<?> unused = shard.poller.claim(claiming).whenComplete((claimed, failure) -> {
            boolean open = arrive(outside -> polled(shard, receiver, upTo, claimed, failure, outside));
            if (!open && claimed != null) {
                claimed.ifPresent(late -> shard.poller.release(late.reply().claims()));
            }
        });
    }

    /** Lets the task apply a result. Returns false if this instance is closed. */
    private boolean arrive(Consumer<List<Runnable>> result) {
        synchronized (lock) {
            if (!closed) {
                arrived = result;
                schedule();
            }
            return !closed;
        }
    }

    private void lookedUp(Optional<List<Shard>> found, @Nullable Throwable failure, long upTo, List<Runnable> outside) {
        if (failure instanceof RedisCallException call) {
            appeared = true;
            Duration failing = recordOutage(call, upTo);
            outside.add(() -> context.events.publish(events -> events.taskFailed(name(), call, failing)));
        } else if (failure != null) {
            failAll(failure, outside);
        } else if (found.isEmpty()) {
            outage = null;
            sweepFailure = null;
            absentUpTo = upTo;
        } else if (!closed) {
            outage = null;
            shards = found.get().stream().map(PolledShard::new).toList();
            context.received.begin(found.get().get(0));
            stopAwaiting();
        }
    }

    private void polled(
            PolledShard shard,
            @Nullable Waiting receiver,
            long upTo,
            Optional<Claimed> claimed,
            @Nullable Throwable failure,
            List<Runnable> outside) {
        if (failure instanceof RedisCallException call) {
            recordOutage(call, upTo);
        } else if (failure instanceof TopicRegisteredAnewException || (failure == null && claimed.isEmpty())) {
            outage = null;
            context.forget(topic);
            forgetShards();
        } else if (failure != null) {
            failAll(failure, outside);
        } else {
            Claimed result = claimed.get();
            outage = null;
            shard.replied(result.reply(), receiver != null, upTo, context.now());
            if (!result.reply().claims().isEmpty()) {
                handOut(shard.poller, receiver, result, outside);
            }
        }
    }

    private void forgetShards() {
        if (!shards.isEmpty()) {
            shards.forEach(shard -> shard.subscription.close());
            context.received.end(shards.get(0).poller.shard());
            shards = List.of();
            appeared = true;
        }
    }

    private void stopAwaiting() {
        if (awaiting != null) {
            awaiting.close();
            awaiting = null;
        }
    }

    private Duration recordOutage(RedisCallException failure, long upTo) {
        Outage before = outage;
        int failures = before == null ? 1 : before.failures + 1;
        long now = context.now();
        long since = before == null ? now : before.sinceNanos;
        outage = new Outage(failure, failures, since, now + ReceiverContext.backoffNanos(failures), upTo);
        return Duration.ofNanos(now - since);
    }

    private void failAll(Throwable failure, List<Runnable> outside) {
        DelayQueueException exception =
                DelayQueueException.of("Receiving from topic " + Printable.of(topic) + " failed: " + failure, failure);
        queue.forEach(receiver ->
                outside.add(() -> context.complete(() -> receiver.future.completeExceptionally(exception))));
        queue.clear();
    }

    private void handOut(ReceivePoller poller, @Nullable Waiting receiver, Claimed claimed, List<Runnable> outside) {
        List<Claim> claims = claimed.reply().claims();
        if (closed || receiver == null || receiver.future.isDone()) {
            outside.add(() -> poller.release(claims));
            return;
        }
        List<LeasedDelivery> deliveries = new ArrayList<>(claims.size());
        for (Claim each : claims) {
            try {
                deliveries.add(
                        new DefaultLeasedDelivery(context, poller, each, receiver.request.lease(), claimed.sentAt()));
            } catch (UnreadableMessageException e) {
                outside.add(() -> poller.deadLetter(each, e));
            }
        }
        if (!deliveries.isEmpty()) {
            queue.remove(receiver);
            outside.add(() -> deliveries.forEach(
                    delivery -> publishStarted(delivery, claimed.reply().nowMicros())));
            outside.add(() -> context.complete(() -> {
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

    /** Ends waits that have timed out. The receiver of the claim in progress waits for its reply. */
    private void endWaits(List<Runnable> outside) {
        long now = context.now();
        Throwable failure = outage != null ? outage.last : shards.isEmpty() ? sweepFailure : null;
        queue.removeIf(receiver -> {
            boolean ends = !receiver.equals(served) && receiver.isOver(now) && hasNothingFor(receiver);
            if (ends) {
                outside.add(() -> context.complete(() -> endWait(receiver, failure)));
            }
            return ends || receiver.future.isDone();
        });
    }

    /** Whether each look-up or poll that the receiver waited for has ended without a message for it. */
    private boolean hasNothingFor(Waiting receiver) {
        if (outage != null) {
            return outage.upTo >= receiver.arrival;
        }
        return shards.isEmpty()
                ? absentUpTo >= receiver.arrival && !context.absent.isSweeping()
                : shards.stream().allMatch(shard -> shard.emptyUpTo >= receiver.arrival);
    }

    private void endWait(Waiting receiver, @Nullable Throwable failure) {
        if (failure == null) {
            receiver.future.complete(List.of());
        } else {
            receiver.future.completeExceptionally(new DelayQueueUnavailableException(
                    "Nothing could be received from topic " + Printable.of(topic) + ": " + failure.getMessage(),
                    failure instanceof RedisCallException call && call.isOutcomeUnknown(),
                    failure));
        }
    }

    private void pollNext(List<Runnable> outside) {
        long now = context.now();
        Outage present = outage;
        if (busy || (present != null && now - present.retryNanos < 0)) {
            return;
        }
        Waiting first = queue.peek();
        Waiting last = queue.peekLast();
        if (shards.isEmpty()) {
            busy = last != null && (appeared || absentUpTo < last.arrival);
            if (busy) {
                appeared = false;
                long upTo = arrivals;
                if (awaiting == null) {
                    // before the look-up, so that a registration after it is noticed
                    awaiting = context.absent.await(topic, this);
                }
                outside.add(() -> lookUp(upTo));
            }
            return;
        }
        for (int i = 0; i < shards.size(); i++) {
            PolledShard shard = shards.get((turn + i) % shards.size());
            if (shard.isToBePolled(first != null, last == null ? 0 : last.arrival, now)) {
                turn = (turn + i + 1) % shards.size();
                shard.hasSignal = false;
                busy = true;
                served = first;
                long upTo = arrivals;
                outside.add(() -> claim(shard, first, upTo));
                return;
            }
        }
    }

    private Duration sleep() {
        boolean needed = !queue.isEmpty() || shards.stream().anyMatch(shard -> shard.overdueLeases) || busy;
        if (!needed) {
            dropped = true;
            end();
            return IDLE;
        }
        long now = context.now();
        long wait = IDLE.toNanos();
        for (Waiting receiver : queue) {
            long left = receiver.deadline - now;
            // a receiver that has timed out waits for a reply, which wakes this task
            wait = left > 0 ? Math.min(wait, left) : wait;
        }
        Outage present = outage;
        if (!busy && present != null) {
            wait = Math.min(wait, present.retryNanos - now);
        } else if (!busy) {
            for (PolledShard shard : shards) {
                wait = Math.min(wait, shard.nextPoll - now);
            }
        }
        return Duration.ofNanos(Math.max(0, wait));
    }

    private void end() {
        if (handle != null) {
            handle.cancel();
            handle = null;
        }
        forgetShards();
        stopAwaiting();
    }

    /** Called by {@link AbsentTopics} when the topic may be registered. Does not block. */
    void appeared() {
        synchronized (lock) {
            if (awaiting != null) {
                appeared = true;
                schedule();
            }
        }
    }

    /**
     * Called by {@link AbsentTopics} when a sweep has ended without finding the topic. Does not block.
     *
     * @param failure of the sweep; null if the topic is not registered
     */
    void swept(@Nullable Throwable failure) {
        synchronized (lock) {
            sweepFailure = failure;
            long now = context.now();
            if (handle != null && queue.stream().anyMatch(receiver -> receiver.isOver(now))) {
                handle.wake();
            }
        }
    }

    /** Ends all waits with an empty result and releases what is being claimed. */
    void close() {
        List<Runnable> outside = new ArrayList<>();
        synchronized (lock) {
            closed = true;
            queue.forEach(receiver -> outside.add(() -> receiver.future.complete(List.of())));
            queue.clear();
            if (arrived != null) {
                arrived.accept(outside);
                arrived = null;
            }
            end();
        }
        ReceiverContext.runAll(outside);
    }
}
