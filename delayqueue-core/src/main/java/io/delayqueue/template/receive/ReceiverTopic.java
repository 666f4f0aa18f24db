package io.delayqueue.template.receive;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.coordination.RedisTask;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Printable;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.redis.SignalSource.Subscription;
import io.delayqueue.store.Claim;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.ShardSession.Poll;
import io.delayqueue.store.TopicRegisteredAnewException;
import io.delayqueue.store.UnreadableMessageException;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.receive.ReceiverQueue.Waiting;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One topic of a receiver: its shards, and the receivers that wait for it. The receivers are served in the order of their
 * requests, by one claim at a time. The shards claim in turn.
 *
 * <p>New receivers, replies, signals and timeouts change the state one after the other, in the {@link TopicTasks}.
 *
 * <p>Receivers are numbered from 1. The result of a claim holds for all receivers that wait when it begins: if a shard
 * has no message for the first receiver, it has none for the others. The fields named {@code upTo} are the number of the
 * newest receiver for which a result holds. A wait that has timed out ends when all shards are empty for its receiver,
 * or the topic is not registered, or a poll fails: the polls of other shards could take as long as a command timeout.
 *
 * <p>Receiving does not register a topic.
 *
 * <p>A second after the last receiver, and when no leases are overdue, the shards cease to listen to signals. An
 * unregistered topic is then forgotten.
 */
final class ReceiverTopic {

    /** A client that receives again and again finds the shards of its last request. */
    private static final Duration KEPT = Duration.ofSeconds(1);
    /** Most messages of a poll for several receivers: they wait until it claimed the messages of all of them. */
    private static final int MAX_SHARED = 100;

    private final ReceiverContext context;
    private final String topic;
    private final DefaultDelayQueueReceiver owner;
    private final Recipient recipient;
    private final TopicTasks tasks;
    /** All shards that this receiver has used since the topic was registered. Thread-safe. */
    private final Map<Shard, ReceiverShard> used = new ConcurrentHashMap<>();

    private final ReceiverQueue queue = new ReceiverQueue();
    private final LookUp lookUp;
    /** Ends waits; null before the first receiver. */
    private @Nullable TaskHandle timeouts;
    /** When the last receiver was added. */
    private long addedAt;
    /** The shards that claim for receivers; empty while the topic's shards are unknown. */
    private List<ReceiverShard> shards = List.of();
    /** The subscriptions of these shards to signals. */
    private List<Subscription> signals = List.of();
    /** The index of the shard that claims first. */
    private int turn;
    /** The claim in progress. */
    private @Nullable OpenClaim openClaim;
    /** Whether receivers wait, a claim is in progress, or leases are overdue. */
    private volatile boolean receiving;
    /** Whether no more receivers can be added. */
    private boolean ended;

    /** Creates a topic for a receiver, which is told when no more receivers can be added to this instance. */
    ReceiverTopic(ReceiverContext context, String topic, DefaultDelayQueueReceiver owner) {
        this.context = context;
        this.topic = topic;
        this.owner = owner;
        this.recipient = new Recipient(topic, QueueKind.MESSAGES, null);
        this.tasks = new TopicTasks(context, name());
        this.lookUp = new LookUp();
        lookUp.schedule(tasks, name());
    }

    /**
     * A claim in progress.
     *
     * @param receivers the first receivers of the queue; none if it only reclaims leases
     * @param upTo the newest receiver for which the result holds
     */
    record OpenClaim(ReceiverShard shard, List<Waiting> receivers, long upTo) {

        boolean claimsFor(Waiting receiver) {
            return !receivers.isEmpty() && receiver.number <= receivers.get(receivers.size() - 1).number;
        }

        int messages() {
            return receivers.stream()
                    .mapToInt(receiver -> receiver.request.max())
                    .sum();
        }
    }

    String name() {
        return "receive " + Printable.of(topic);
    }

    /** Returns a shard of the topic. Any thread may call this. */
    ReceiverShard shard(Shard shard) {
        ReceiverShard known = used.get(shard);
        if (known != null) {
            return known;
        }
        // not in computeIfAbsent: the new shard schedules a task, and this thread may then run others that use the map
        ReceiverShard created = new ReceiverShard(context, this, tasks, shard);
        ReceiverShard other = used.putIfAbsent(shard, created);
        return other == null ? created : other;
    }

    /** Whether receivers wait, a claim is in progress, or leases are overdue. Any thread may call this. */
    boolean isReceiving() {
        return receiving;
    }

    /** Number of shards with polls or settlements to send or repeat. Any thread may call this. */
    int busyShards() {
        return (int) used.values().stream().filter(ReceiverShard::isBusy).count();
    }

    // ---- receivers -------------------------------------------------------------------------------------------------

    /** Adds a receiver. If this instance has ended, its owner adds the receiver to another. Any thread may call this. */
    void receive(TopicRequest request, CompletableFuture<List<LeasedDelivery>> future) {
        tasks.execute(() -> {
            if (ended) {
                owner.receive(request, future);
                return;
            }
            addedAt = context.now();
            Waiting receiver = queue.add(request, future, addedAt);
            Completions.whenComplete(future, (deliveries, failure) -> leave(receiver));
            if (timeouts == null) {
                timeouts = tasks.schedule(name(), this::endTimedOut);
            }
            advance();
        });
    }

    private void leave(Waiting receiver) {
        tasks.execute(() -> {
            if (queue.remove(receiver)) {
                advance();
            }
        });
    }

    /** Ends waits, and starts the next claim or look-up. */
    private void advance() {
        endWaits();
        if (shards.isEmpty()) {
            lookUp.wake();
        } else if (openClaim == null) {
            for (int i = 0; i < shards.size(); i++) {
                ReceiverShard next = shards.get((turn + i) % shards.size());
                if (next.isReady()) { // the first that begins claims; the others then find its claim
                    next.wake();
                }
            }
        }
        planTimeouts();
    }

    private Duration endTimedOut() {
        endWaits();
        if (isIdle() && nanosKept() <= 0) {
            end();
        } else {
            planTimeouts();
        }
        return PeriodicTask.UNTIL_WOKEN; // unless an earlier run was planned
    }

    /** Ends waits that have timed out and have nothing more to wait for. */
    private void endWaits() {
        Throwable failure = failure();
        long nothingUpTo = nothingUpTo();
        for (Waiting receiver : queue.removeTimedOut(
                context.now(),
                each -> each.number <= nothingUpTo && (openClaim == null || !openClaim.claimsFor(each)))) {
            context.complete(() -> endWait(receiver, failure));
        }
    }

    private @Nullable Throwable failure() {
        if (shards.isEmpty()) {
            return lookUp.failure;
        }
        for (ReceiverShard shard : shards) {
            if (shard.failure() != null) {
                return shard.failure();
            }
        }
        return null;
    }

    /** The newest receiver for which the topic has no message, or a call failed. */
    private long nothingUpTo() {
        if (shards.isEmpty()) {
            return lookUp.nothingUpTo();
        }
        long emptyUpTo = Long.MAX_VALUE;
        long failedUpTo = 0;
        for (ReceiverShard shard : shards) {
            emptyUpTo = Math.min(emptyUpTo, shard.emptyUpTo());
            failedUpTo = Math.max(failedUpTo, shard.failedUpTo());
        }
        return Math.max(emptyUpTo, failedUpTo);
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

    private void failAll(Throwable failure) {
        DelayQueueException exception =
                DelayQueueException.of("Receiving from topic " + Printable.of(topic) + " failed: " + failure, failure);
        for (Waiting receiver : queue.removeAll()) {
            context.complete(() -> receiver.future.completeExceptionally(exception));
        }
    }

    private boolean isIdle() {
        return queue.isEmpty() && openClaim == null && shards.stream().noneMatch(ReceiverShard::hasOverdueLeases);
    }

    /** Plans the end of the next wait; without receivers, the end a second after the last one was added. */
    private void planTimeouts() {
        receiving = !isIdle();
        if (timeouts == null) { // there was no receiver
            end();
            return;
        }
        long wait = receiving ? queue.nanosUntilTimeout(context.now(), Long.MAX_VALUE) : nanosKept();
        if (wait <= 0) {
            timeouts.wake();
        } else if (wait < Long.MAX_VALUE) {
            timeouts.wakeWithin(Duration.ofNanos(wait));
        }
    }

    private long nanosKept() {
        return addedAt + KEPT.toNanos() - context.now();
    }

    private void end() {
        forgetShards();
        lookUp.unsubscribe();
        lookUp.wake(); // it plans no further look-up
        if (used.isEmpty() || context.isClosed()) {
            ended = true;
            owner.ended(topic, this);
        }
    }

    /** Ends all waits with an empty result and releases what is being claimed. Any thread may call this. */
    void close() {
        tasks.execute(() -> {
            queue.removeAll().forEach(receiver -> receiver.future.complete(List.of()));
            end();
            used.values().forEach(ReceiverShard::close);
            tasks.close();
        });
    }

    // ---- claims, by the shards -------------------------------------------------------------------------------------

    /** The number of the newest waiting receiver; 0 if none waits. */
    long newestReceiver() {
        return queue.newest();
    }

    /** Whether a shard claims for receivers. */
    boolean uses(ReceiverShard shard) {
        return shards.contains(shard);
    }

    /** Whether a claim is in progress. Its end wakes the shards that are ready for the next one. */
    boolean isClaiming() {
        return openClaim != null;
    }

    /** Begins the claim of a shard for the first receivers. */
    OpenClaim beginClaim(ReceiverShard shard) {
        OpenClaim begun = new OpenClaim(shard, queue.firstThatSharePoll(MAX_SHARED), queue.newest());
        openClaim = begun;
        turn = (shards.indexOf(shard) + 1) % shards.size();
        return begun;
    }

    /** Divides the claims among the receivers, in their order. Claims that none of them takes are released. */
    void claimed(OpenClaim ended, Poll poll, PollReply reply) {
        ReceiverShard shard = ended.shard();
        Deque<Claim> claims = new ArrayDeque<>(reply.claims());
        List<Runnable> completions = new ArrayList<>();
        for (Waiting receiver : ended.receivers()) {
            if (!receiver.future.isDone() && !claims.isEmpty()) {
                completions.add(deliver(shard, receiver, claims, poll.polledAt(), reply.nowMicros()));
            }
        }
        advance(); // first: settlements wake this shard, but the others claim before it
        completions.forEach(context::complete);
        shard.release(claims);
    }

    /** Ends the claim in progress if it is that of a shard, and returns it. */
    @Nullable
    OpenClaim endClaim(ReceiverShard shard) {
        OpenClaim ended = openClaim;
        if (ended == null || ended.shard() != shard) {
            return null;
        }
        openClaim = null;
        return ended;
    }

    /** Takes claims for a receiver, and returns the completion of its future. */
    private Runnable deliver(
            ReceiverShard shard, Waiting receiver, Deque<Claim> claims, long polledAt, long nowMicros) {
        List<LeasedDelivery> deliveries = new ArrayList<>();
        while (deliveries.size() < receiver.request.max() && !claims.isEmpty()) {
            Claim claim = claims.remove();
            try {
                deliveries.add(new ReceivedDelivery(context, shard, claim, receiver.request.lease(), polledAt));
                context.given.given(shard.shard(), claim);
            } catch (UnreadableMessageException e) {
                shard.deadLetter(claim, e);
            }
        }
        if (deliveries.isEmpty()) {
            return () -> {};
        }
        queue.remove(receiver);
        deliveries.forEach(delivery -> publishStarted(delivery, nowMicros));
        return () -> {
            if (!receiver.future.complete(deliveries)) {
                deliveries.forEach(LeasedDelivery::release);
            }
        };
    }

    private void publishStarted(LeasedDelivery delivery, long nowMicros) {
        long lateMicros = nowMicros - delivery.dueAt().toEpochMilli() * 1000;
        Duration late = Duration.ofNanos(Math.max(0, lateMicros) * 1000);
        context.events.publish(events -> events.started(recipient, delivery.id(), delivery.attempt(), late));
    }

    /** A poll of a shard failed. */
    void failed(ReceiverShard shard, boolean claimed, Throwable failure) {
        if (failure instanceof TopicRegisteredAnewException) {
            forget(shard);
        } else if (claimed && !(failure instanceof RedisCallException)) {
            failAll(failure);
        }
        advance();
    }

    /** A poll found that the topic is not registered. */
    void unregistered(ReceiverShard shard) {
        endClaim(shard);
        forget(shard);
        advance();
    }

    /** Forgets all shards of an ended registration. Those of the next one may be in use already. */
    private void forget(ReceiverShard ended) {
        if (shards.isEmpty() || uses(ended)) {
            used.clear();
            forgetShards();
        } else {
            used.remove(ended.shard(), ended);
        }
    }

    private void forgetShards() {
        if (!shards.isEmpty()) {
            signals.forEach(Subscription::close);
            context.received.end(shards.get(0).shard());
            List<ReceiverShard> forgotten = shards;
            shards = List.of();
            forgotten.forEach(ReceiverShard::wake); // they plan no further claims
            lookUp.again();
        }
    }

    // ---- a topic whose shards are unknown --------------------------------------------------------------------------

    /**
     * Looks up the shards while they are unknown and receivers wait: for each new receiver, after a signal, which shows
     * that the first send has registered the topic, and once per sweep interval, because signals may be lost.
     */
    private final class LookUp extends RedisTask implements SignalListener {

        /** The newest receiver for which a look-up found that the topic is not registered; 0 if that is outdated. */
        private long absentUpTo;
        /** The newest receiver at the last look-up, and its time. */
        private long upTo;

        private long lookedUpAt;
        /** Whether to look up the topic again, even without a new receiver. */
        private boolean again;
        /** The failure of the last look-up; null if it succeeded. */
        private @Nullable Throwable failure;
        /** The subscriptions to signals of the expected shards. */
        private List<Subscription> subscriptions = List.of();

        LookUp() {
            super(context.nanoTime);
        }

        @Override
        protected Duration roundTrip() {
            if (!isWaiting()) {
                if (!shards.isEmpty() || queue.isEmpty()) {
                    return UNTIL_WOKEN;
                }
                long left = context.sweep().toNanos() - (context.now() - lookedUpAt);
                if (!again && absentUpTo >= queue.newest() && left > 0) {
                    return Duration.ofNanos(left);
                }
                begin();
            }
            try {
                Optional<List<Shard>> found = reply(() -> context.topics.usableShards(topic));
                if (found == null) {
                    return UNTIL_WOKEN;
                }
                failure = null;
                found.ifPresentOrElse(this::found, this::notRegistered);
            } catch (RedisCallException e) {
                again();
                failure = e;
                throw e;
            } catch (RuntimeException | Error e) {
                failAll(e);
            } finally {
                if (!isWaiting()) {
                    advance();
                }
            }
            return shards.isEmpty() ? context.sweep() : UNTIL_WOKEN;
        }

        /** Subscribes before the look-up, so that a registration after it is noticed. */
        private void begin() {
            again = false;
            upTo = queue.newest();
            lookedUpAt = context.now();
            if (subscriptions.isEmpty()) {
                subscriptions = context.topics.expectedShards(topic).stream()
                        .map(shard -> context.signals.listenUnregistered(shard, this))
                        .toList();
            }
        }

        private void found(List<Shard> found) {
            if (ended) { // the receiver was closed meanwhile
                return;
            }
            shards = found.stream().map(ReceiverTopic.this::shard).toList();
            signals = shards.stream().map(ReceiverShard::listen).toList();
            context.received.begin(found.get(0));
            unsubscribe();
        }

        private void notRegistered() {
            absentUpTo = again ? 0 : upTo;
        }

        /** No wait ends before the result of a look-up that starts from now on. */
        void again() {
            again = true;
            absentUpTo = 0;
        }

        long nothingUpTo() {
            return failure != null ? upTo : isWaiting() ? 0 : absentUpTo;
        }

        void unsubscribe() {
            subscriptions.forEach(Subscription::close);
            subscriptions = List.of();
        }

        @Override
        public void headAt(long dueMillis) {
            tasks.execute(() -> {
                if (!subscriptions.isEmpty()) {
                    again();
                    advance();
                }
            });
        }

        @Override
        public void dueMessagesLeft(String consumer) {
            headAt(0);
        }

        @Override
        public void resubscribed() {
            headAt(0);
        }
    }
}
