package io.delayqueue.template.pull;

import io.delayqueue.coordination.Step;
import io.delayqueue.coordination.StepScheduler.StepHandle;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Lane;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.Claim;
import io.delayqueue.store.Settle.Bury;
import io.delayqueue.store.Settle.Release;
import io.delayqueue.store.StepReply;
import io.delayqueue.store.TopicRegisteredAnewException;
import io.delayqueue.store.UnreadableMessageException;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.pull.Pulled.ClaimTime;
import io.delayqueue.template.pull.ShardCursor.Look;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Serves the receivers of one topic in the order in which they came. Each look claims for the first of them from one
 * shard, by turns; what no shard has for him, nobody behind him would have found either. The step never blocks: an answer
 * wakes it.
 *
 * <p>Which shards there are is asked when somebody first waits, and again when the topic was registered anew; an outage
 * meanwhile is one like any other.
 *
 * <p>It is scheduled only while somebody waits, or while something of Redis' state is still to be put right.
 */
final class TopicPump implements Step {

    private static final Duration IDLE = Duration.ofDays(1);

    private final Tools tools;
    private final String topic;
    private final Recipient recipient;
    private final Object lock = new Object();
    private final Deque<WaitingReceiver> queue = new ArrayDeque<>();
    private @Nullable StepHandle handle;
    private @Nullable ShardCursors cursors;
    private boolean opening;
    private @Nullable Opened opened;
    private @Nullable Look underWay;
    private @Nullable Answer arrived;
    private @Nullable Outage outage;
    private long sequence;
    private long arrivals;
    private boolean closed;

    TopicPump(Tools tools, String topic) {
        this.tools = tools;
        this.topic = topic;
        this.recipient = new Recipient(topic, Lane.MESSAGES, null);
    }

    /**
     * Exactly one of shards and failure is there.
     *
     * @param arrivals the youngest receiver that had come when they were asked for
     */
    private record Opened(
            @Nullable List<Shard> shards, @Nullable Throwable failure, long arrivals) {}

    /** Exactly one of reply and failure is there. */
    private record Answer(
            Look look, @Nullable StepReply reply, @Nullable Throwable failure) {}

    /**
     * Calls fail.
     *
     * @param failures how many in a row
     * @param upTo the youngest receiver that had come before the last of them
     */
    private record Outage(RedisCallException last, int failures, long sinceNanos, long retryNanos, long upTo) {}

    CompletableFuture<List<PulledDelivery>> receive(ReceiveRequest request) {
        CompletableFuture<List<PulledDelivery>> future = new CompletableFuture<>();
        synchronized (lock) {
            if (closed) {
                throw new IllegalStateException("The receiver was closed");
            }
            long deadline = tools.now() + request.waitTime().toNanos();
            queue.add(new WaitingReceiver(request, future, ++arrivals, deadline));
            attend();
        }
        CompletableFuture<?> unused = future.whenComplete((deliveries, failure) -> {
            if (future.isCancelled()) {
                sendOff();
            }
        });
        return future;
    }

    /** Whoever went away is out of the queue before the next message comes or the next sweep. */
    private void sendOff() {
        synchronized (lock) {
            if (handle != null) {
                handle.wake();
            }
        }
    }

    private void attend() {
        if (handle == null) {
            handle = tools.scheduler().schedule("pull " + topic, this);
        } else {
            handle.wake();
        }
    }

    @Override
    public Duration step() {
        List<Runnable> outside = new ArrayList<>();
        Duration sleep;
        synchronized (lock) {
            Opened shards = opened;
            opened = null;
            if (shards != null) {
                opening = false;
                take(shards, outside);
            }
            Answer answer = arrived;
            arrived = null;
            if (answer != null) {
                underWay = null;
                take(answer, outside);
            }
            endWaits(outside);
            look(outside);
            sleep = sleep();
        }
        Tools.runAll(outside);
        return sleep;
    }

    private void take(Opened answer, List<Runnable> outside) {
        if (answer.shards != null) {
            outage = null;
            if (!closed) {
                cursors = new ShardCursors(tools, answer.shards, () -> ++sequence, this::hear);
            }
        } else if (answer.failure instanceof RedisCallException failure) {
            fail(failure, answer.arrivals, outside);
        } else {
            failAll(answer.failure, outside);
        }
    }

    private void take(Answer answer, List<Runnable> outside) {
        StepReply reply = answer.reply;
        if (reply != null) {
            outage = null;
            answer.look.cursor().answered(answer.look, reply, tools.now());
            outside.add(() -> tell(reply));
            if (!reply.claims().isEmpty()) {
                handOut(answer.look, reply, outside);
            }
        } else if (answer.failure instanceof RedisCallException failure) {
            answer.look.cursor().failed(answer.look, failure);
            fail(failure, answer.look.arrivals(), outside);
        } else if (answer.failure instanceof TopicRegisteredAnewException) {
            forgetShards();
        } else {
            answer.look.cursor().forget();
            failAll(answer.failure, outside);
        }
    }

    private void forgetShards() {
        if (cursors != null) {
            cursors.stopListening();
            cursors = null;
        }
    }

    private void fail(RedisCallException failure, long upTo, List<Runnable> outside) {
        Outage before = outage;
        int failures = before == null ? 1 : before.failures + 1;
        long since = before == null ? tools.now() : before.sinceNanos;
        long retry = tools.now() + tools.backoffNanos(failures);
        outage = new Outage(failure, failures, since, retry, upTo);
        Duration sinceSuccess = Duration.ofNanos(tools.now() - since);
        outside.add(() -> tools.events().publish(events -> events.stepFailed("pull " + topic, failure, sinceSuccess)));
    }

    private void failAll(@Nullable Throwable failure, List<Runnable> outside) {
        DelayQueueException told =
                new DelayQueueException("To receive from topic " + topic + " failed: " + failure, failure);
        queue.forEach(receiver ->
                outside.add(() -> tools.complete(() -> receiver.future().completeExceptionally(told))));
        queue.clear();
    }

    private void tell(StepReply reply) {
        reply.reclaimed().forEach(id -> tools.events().publish(events -> events.reclaimed(recipient, id)));
        reply.deaths()
                .forEach(death ->
                        tools.events().publish(events -> events.died(recipient, death.id(), death.cause(), null)));
    }

    private void handOut(Look look, StepReply reply, List<Runnable> outside) {
        List<Claim> claims = reply.claims();
        WaitingReceiver receiver = look.receiver();
        SettleLane lane = look.cursor().lane();
        // of a repeat nobody knows for how long the lease has run already
        if (receiver == null || look.repeated() || receiver.future().isDone()) {
            outside.add(() -> release(lane, claims));
            return;
        }
        ClaimTime time = new ClaimTime(
                look.cursor().time(), look.begunNanos(), receiver.request().lease());
        List<PulledDelivery> deliveries = new ArrayList<>(claims.size());
        for (Claim claim : claims) {
            try {
                deliveries.add(new Pulled(tools, lane, topic, claim, claim.envelope(), time));
            } catch (UnreadableMessageException e) {
                outside.add(() -> lane.submitUnasked(unreadable(claim, e)));
            }
        }
        if (!deliveries.isEmpty()) {
            queue.remove(receiver);
            outside.add(() -> deliveries.forEach(delivery -> tellStarted(delivery, reply.nowMicros())));
            outside.add(() -> tools.complete(() -> {
                if (!receiver.future().complete(deliveries)) {
                    Tools.handBack(deliveries);
                }
            }));
        }
    }

    private void tellStarted(PulledDelivery delivery, long nowMicros) {
        long lateMicros = nowMicros - delivery.dueAt().toEpochMilli() * 1000;
        Duration late = Duration.ofNanos(Math.max(0, lateMicros) * 1000);
        tools.events().publish(events -> events.started(recipient, delivery.id(), delivery.attempt(), late));
    }

    private static void release(SettleLane lane, List<Claim> claims) {
        claims.forEach(claim -> lane.submitUnasked(new Release(claim.id(), claim.token())));
    }

    private static Bury unreadable(Claim claim, UnreadableMessageException e) {
        Failure failure = new Failure(e.getClass().getName(), String.valueOf(e.getMessage()));
        return new Bury(claim.id(), claim.token(), DeathCause.UNREADABLE, failure);
    }

    /** Whoever is looked for right now is not ended before the look is answered. */
    private void endWaits(List<Runnable> outside) {
        long now = tools.now();
        WaitingReceiver served = underWay == null ? null : underWay.receiver();
        for (Iterator<WaitingReceiver> all = queue.iterator(); all.hasNext(); ) {
            WaitingReceiver receiver = all.next();
            if (receiver.future().isDone()) {
                all.remove();
            } else if (!receiver.equals(served) && receiver.isOver(now)) {
                Outage present = outage;
                if (present != null && present.upTo >= receiver.arrival()) {
                    all.remove();
                    outside.add(() -> tools.complete(() -> receiver.future().completeExceptionally(away(present))));
                } else if (present == null && cursors != null && cursors.haveAnswered(receiver)) {
                    all.remove();
                    outside.add(() -> tools.complete(() -> receiver.future().complete(List.of())));
                }
            }
        }
    }

    private DelayQueueUnavailableException away(Outage present) {
        return new DelayQueueUnavailableException(
                "Nothing could be received from topic " + topic + ": " + present.last.getMessage(), present.last);
    }

    private void look(List<Runnable> outside) {
        long now = tools.now();
        Outage present = outage;
        if (isBusy() || (present != null && now - present.retryNanos < 0)) {
            return;
        }
        WaitingReceiver first = queue.peek();
        WaitingReceiver last = queue.peekLast();
        if (cursors == null) {
            opening = first != null;
            if (opening) {
                long upTo = arrivals;
                outside.add(() -> open(upTo));
            }
            return;
        }
        ShardCursor cursor = cursors.next(first != null, last == null ? 0 : last.arrival(), now);
        if (cursor != null) {
            Look look = cursor.begin(first, arrivals, now);
            underWay = look;
            outside.add(() -> send(look));
        }
    }

    /** One question is asked at a time. */
    private boolean isBusy() {
        return underWay != null || opening;
    }

    private void open(long upTo) {
        tools.shards(topic).whenComplete((shards, failure) -> {
            synchronized (lock) {
                if (!closed) {
                    opened = new Opened(shards, failure == null ? null : Tools.unwrap(failure), upTo);
                    attend();
                }
            }
        });
    }

    private void send(Look look) {
        tools.step(look.cursor().shard(), look.request()).whenComplete((reply, failure) -> {
            Throwable cause = failure == null ? null : Tools.unwrap(failure);
            synchronized (lock) {
                if (!closed) {
                    arrived = new Answer(look, reply, cause);
                    attend();
                    return;
                }
            }
            if (reply != null) {
                release(look.cursor().lane(), reply.claims());
            }
        });
    }

    private Duration sleep() {
        boolean needed = !queue.isEmpty() || (cursors != null && cursors.needCare()) || isBusy();
        if (!needed) {
            if (handle != null) {
                handle.cancel();
                handle = null;
            }
            return IDLE;
        }
        long now = tools.now();
        long wait = IDLE.toNanos();
        for (WaitingReceiver receiver : queue) {
            long left = receiver.deadlineNanos() - now;
            // one whose time is over already waits for the answer that wakes this step
            wait = left > 0 ? Math.min(wait, left) : wait;
        }
        Outage present = outage;
        if (!isBusy() && present != null) {
            wait = Math.min(wait, present.retryNanos - now);
        } else if (!isBusy() && cursors != null) {
            wait = Math.min(wait, cursors.untilNextLook(now));
        }
        return Duration.ofNanos(Math.max(0, wait));
    }

    /** Ends the waits with nothing; what is being claimed is handed back. */
    void close() {
        List<WaitingReceiver> left;
        ShardCursors ended;
        synchronized (lock) {
            closed = true;
            ended = cursors;
            left = new ArrayList<>(queue);
            queue.clear();
            if (handle != null) {
                handle.cancel();
                handle = null;
            }
            Answer answer = arrived;
            arrived = null;
            if (answer != null && answer.reply != null) {
                release(answer.look.cursor().lane(), answer.reply.claims());
            }
            if (ended != null) {
                ended.stopListening();
            }
        }
        left.forEach(receiver -> receiver.future().complete(List.of()));
        if (ended != null) {
            ended.closeLanes();
        }
    }

    private void hear(ShardCursor cursor, @Nullable Long dueMillis) {
        synchronized (lock) {
            long now = tools.now();
            cursor.signal(dueMillis, now);
            if (handle != null) {
                handle.wakeWithin(Duration.ofNanos(Math.max(0, cursor.nextLook() - now)));
            }
        }
    }
}
