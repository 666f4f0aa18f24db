package io.delayqueue.template.receive;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.QueueKind;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.SignalSource.Subscription;
import io.delayqueue.store.Claim;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.TopicRegisteredAnewException;
import io.delayqueue.store.UnreadableMessageException;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.receive.ReceivePoller.Claimed;
import io.delayqueue.template.receive.ReceiverQueue.Waiting;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The receivers that wait for one topic, served in the order of their requests. One call is in progress at a time: a
 * look-up of the topic's shards, or a poll that claims for the first receivers. The shards are polled in turn.
 *
 * <p>New receivers, replies, signals and the periodic task change the state one after the other, through a
 * {@link SequentialExecutor}. With a lock, threads of requests could delay the event loop of the Redis client, and with
 * it the replies to all commands.
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
 * added.
 */
final class WaitingReceivers implements PeriodicTask {

    private static final Duration IDLE = Duration.ofDays(1);
    /** A client that receives again and again meets the instance of its last request. */
    private static final Duration KEPT = Duration.ofSeconds(1);
    /** Most messages of a poll for several receivers: they wait until it claimed the messages of all of them. */
    private static final int MAX_SHARED = 100;

    private final ReceiverContext context;
    private final String topic;
    private final DefaultDelayQueueReceiver owner;
    private final Recipient recipient;
    private final SequentialExecutor executor = new SequentialExecutor();
    private final ReceiverQueue queue = new ReceiverQueue();
    /** When the last receiver was added. */
    private long addedAt;
    /** The look-up or poll in progress. */
    private @Nullable Call call;
    /** The failed calls since the last success. */
    private @Nullable Outage outage;
    /** The newest receiver for which the last failed call was made. */
    private long failedUpTo;
    /** The pollers of the topic's shards; empty while the shards are unknown. */
    private List<ReceivePoller> pollers = List.of();
    /** The subscriptions of the pollers to signals. */
    private List<Subscription> signals = List.of();
    /** The index of the shard to poll first. */
    private int turn;
    /** The state of a topic whose shards are unknown. */
    private final UnknownTopic unknown = new UnknownTopic();
    /** Null before the first receiver is added, and after the end. */
    private @Nullable TaskHandle handle;
    /** Whether the task was cancelled and no more receivers can be added. */
    private boolean ended;

    /** Creates the queue of one topic for a receiver, which is told when no more can be added to this instance. */
    WaitingReceivers(ReceiverContext context, String topic, DefaultDelayQueueReceiver owner) {
        this.context = context;
        this.topic = topic;
        this.owner = owner;
        this.recipient = new Recipient(topic, QueueKind.MESSAGES, null);
    }

    /**
     * A look-up or a poll.
     *
     * @param receivers the receivers for which the poll claims, the first of the queue; none for a look-up, and for a poll
     *     that only reclaims
     * @param upTo the newest receiver for which the result holds
     */
    private record Call(List<Waiting> receivers, long upTo) {

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
            return pollers.isEmpty() && !queue.isEmpty() && (again || absentUpTo < queue.newest());
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

    /** Adds a receiver. If this instance has ended, its owner adds the receiver to another. */
    void receive(ReceiveRequest request, CompletableFuture<List<LeasedDelivery>> future) {
        executor.execute(() -> {
            if (ended) {
                owner.receive(request, future);
                return;
            }
            addedAt = context.now();
            Waiting receiver = queue.add(request, future, addedAt);
            CompletableFuture<?> unused = future.whenComplete((deliveries, failure) -> leave(receiver));
            if (handle == null) {
                handle = context.scheduler.schedule(name(), this);
            } else {
                startCall();
                planNextRun();
            }
        });
    }

    private String name() {
        return "receive " + Printable.of(topic);
    }

    private void leave(Waiting receiver) {
        executor.execute(() -> {
            if (queue.remove(receiver)) {
                advance();
            }
        });
    }

    @Override
    public Duration run() {
        executor.execute(this::advance);
        return IDLE; // unless an earlier run was planned
    }

    /** Ends waits, starts the next call, and plans the next run. */
    private void advance() {
        if (ended) {
            return;
        }
        endWaits();
        startCall();
        planNextRun();
    }

    /** Ends waits that have timed out and have nothing more to wait for. */
    private void endWaits() {
        Throwable failure = outage != null ? outage.last() : pollers.isEmpty() ? unknown.listingFailure : null;
        for (Waiting receiver : queue.removeTimedOut(context.now(), this::hasNothingFor)) {
            context.complete(() -> endWait(receiver, failure));
        }
    }

    /** Whether each look-up or poll that the receiver waits for has ended without a message for it. */
    private boolean hasNothingFor(Waiting receiver) {
        if (call != null && call.claimsFor(receiver)) {
            return false;
        }
        if (outage != null) {
            return failedUpTo >= receiver.number;
        }
        if (pollers.isEmpty()) {
            return unknown.absentUpTo >= receiver.number && !context.absent.isListing();
        }
        return pollers.stream().noneMatch(poller -> poller.isUntried(receiver.number));
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
    private void startCall() {
        long now = context.now();
        if (call != null || (outage != null && outage.backsOff(now))) {
            return;
        }
        if (unknown.isToBeLookedUp()) {
            unknown.beginLookUp();
            Call lookUp = new Call(List.of(), queue.newest());
            call = lookUp;
            lookUp(lookUp);
            return;
        }
        for (int i = 0; i < pollers.size(); i++) {
            ReceivePoller poller = pollers.get((turn + i) % pollers.size());
            if (poller.nanosUntilClaim(queue.newest()) <= 0) {
                turn = (turn + i + 1) % pollers.size();
                poller.beginClaim(queue.newest());
                Call poll = new Call(queue.firstThatSharePoll(MAX_SHARED), queue.newest());
                call = poll;
                poll(poller, poll);
                return;
            }
        }
    }

    private void lookUp(Call lookUp) {
        CompletableFuture<?> unused = Completions.call(() -> context.topics.usableShards(topic))
                .whenComplete((found, failure) -> {
                    Throwable cause = failure == null ? null : Completions.cause(failure);
                    executor.execute(() -> lookedUp(lookUp, found, cause));
                });
    }

    private void poll(ReceivePoller poller, Call poll) {
        Claiming claiming = poll.receivers.isEmpty()
                ? ReceivePoller.NOTHING
                : poller.claiming(poll.receivers.get(0).request, poll.messages());
        CompletableFuture<?> unused = poller.claim(claiming)
                .whenComplete((claimed, failure) -> executor.execute(() -> polled(poller, poll, claimed, failure)));
    }

    private void lookedUp(Call lookUp, Optional<List<Shard>> found, @Nullable Throwable failure) {
        if (ended) {
            return;
        }
        call = null;
        if (failure instanceof RedisCallException redis) {
            unknown.lookUpAgain();
            Duration failing = recordFailure(lookUp, redis);
            context.events.publish(events -> events.taskFailed(name(), redis, failing));
        } else if (failure != null) {
            failAll(failure);
        } else if (found.isEmpty()) {
            outage = null;
            unknown.notRegistered(lookUp.upTo);
        } else {
            outage = null;
            pollers = found.get().stream().map(context::poller).toList();
            signals = pollers.stream()
                    .map(poller -> poller.begin(this::signalled))
                    .toList();
            context.received.begin(found.get().get(0));
            unknown.unsubscribe();
        }
        advance();
    }

    private void signalled() {
        executor.execute(this::advance);
    }

    private void polled(ReceivePoller poller, Call poll, Optional<Claimed> claimed, @Nullable Throwable failure) {
        if (ended) {
            if (failure == null) {
                claimed.ifPresent(late -> poller.release(late.reply().claims()));
            }
            return;
        }
        call = null;
        if (failure instanceof RedisCallException redis) {
            poller.claimFailed();
            recordFailure(poll, redis);
        } else if (failure instanceof TopicRegisteredAnewException || (failure == null && claimed.isEmpty())) {
            outage = null;
            context.forget(topic);
            forgetShards();
        } else if (failure != null) {
            poller.claimFailed();
            failAll(failure);
        } else {
            outage = null;
            poller.endClaim(claimed.get().reply(), !poll.receivers.isEmpty(), poll.upTo);
            deliver(poller, poll.receivers, claimed.get());
        }
        advance();
    }

    /** Returns for how long calls have been failing. */
    private Duration recordFailure(Call failed, Throwable failure) {
        long now = context.now();
        outage = Outage.add(outage, failure, now);
        failedUpTo = failed.upTo;
        return outage.duration(now);
    }

    private void failAll(Throwable failure) {
        DelayQueueException exception =
                DelayQueueException.of("Receiving from topic " + Printable.of(topic) + " failed: " + failure, failure);
        for (Waiting receiver : queue.removeAll()) {
            context.complete(() -> receiver.future.completeExceptionally(exception));
        }
    }

    private void forgetShards() {
        if (!pollers.isEmpty()) {
            signals.forEach(Subscription::close);
            context.received.end(pollers.get(0).shard());
            pollers = List.of();
            unknown.lookUpAgain();
        }
    }

    /** Divides the claims among the receivers, in their order. Claims that none of them takes are released. */
    private void deliver(ReceivePoller poller, List<Waiting> receivers, Claimed claimed) {
        Deque<Claim> claims = new ArrayDeque<>(claimed.reply().claims());
        for (Waiting receiver : receivers) {
            if (!receiver.future.isDone() && !claims.isEmpty()) {
                deliver(poller, receiver, claims, claimed);
            }
        }
        if (!claims.isEmpty()) {
            poller.release(List.copyOf(claims));
        }
    }

    private void deliver(ReceivePoller poller, Waiting receiver, Deque<Claim> claims, Claimed claimed) {
        List<LeasedDelivery> deliveries = new ArrayList<>();
        while (deliveries.size() < receiver.request.max() && !claims.isEmpty()) {
            Claim claim = claims.remove();
            try {
                deliveries.add(
                        new ReceivedDelivery(context, poller, claim, receiver.request.lease(), claimed.sentAt()));
            } catch (UnreadableMessageException e) {
                poller.deadLetter(claim, e);
            }
        }
        if (!deliveries.isEmpty()) {
            queue.remove(receiver);
            deliveries.forEach(
                    delivery -> publishStarted(delivery, claimed.reply().nowMicros()));
            context.complete(() -> {
                if (!receiver.future.complete(deliveries)) {
                    ReceiverContext.release(deliveries);
                }
            });
        }
    }

    private void publishStarted(LeasedDelivery delivery, long nowMicros) {
        long lateMicros = nowMicros - delivery.dueAt().toEpochMilli() * 1000;
        Duration late = Duration.ofNanos(Math.max(0, lateMicros) * 1000);
        context.events.publish(events -> events.started(recipient, delivery.id(), delivery.attempt(), late));
    }

    /** Plans the next run, or ends this instance if it is no longer needed. */
    private void planNextRun() {
        long now = context.now();
        boolean idle = queue.isEmpty() && call == null && pollers.stream().noneMatch(ReceivePoller::hasOverdueLeases);
        long wait = idle ? addedAt + KEPT.toNanos() - now : nanosUntilTimeoutOrCall(now);
        if (idle && wait <= 0) {
            end();
        } else if (handle != null) {
            handle.wakeWithin(Duration.ofNanos(Math.max(0, wait)));
        }
    }

    private long nanosUntilTimeoutOrCall(long now) {
        long wait = queue.nanosUntilTimeout(now, IDLE.toNanos());
        if (call == null) {
            long untilCall = unknown.isToBeLookedUp() ? 0 : IDLE.toNanos();
            for (ReceivePoller poller : pollers) {
                untilCall = Math.min(untilCall, poller.nanosUntilClaim(queue.newest()));
            }
            wait = Math.min(wait, outage == null ? untilCall : Math.max(untilCall, outage.retryAt() - now));
        }
        return wait;
    }

    private void end() {
        ended = true;
        if (handle != null) {
            handle.cancel();
            handle = null;
        }
        forgetShards();
        unknown.unsubscribe();
        owner.ended(topic, this);
    }

    /** Called by {@link AbsentTopics} when the topic may be registered. Does not block. */
    void appeared() {
        executor.execute(() -> {
            if (unknown.subscription != null) {
                unknown.lookUpAgain();
                advance();
            }
        });
    }

    /**
     * Called by {@link AbsentTopics} when the listing of all topics does not have the topic. Does not block.
     *
     * @param failure of the listing; null if the topic is not registered
     */
    void notFound(@Nullable Throwable failure) {
        executor.execute(() -> unknown.listingFailure = failure);
    }

    /** Called by {@link AbsentTopics} after a listing, when its result is known here. Does not block. */
    void listingEnded() {
        executor.execute(this::advance);
    }

    /** Ends all waits with an empty result and releases what is being claimed. */
    void close() {
        executor.execute(() -> {
            queue.removeAll().forEach(receiver -> receiver.future.complete(List.of()));
            end();
        });
    }
}
