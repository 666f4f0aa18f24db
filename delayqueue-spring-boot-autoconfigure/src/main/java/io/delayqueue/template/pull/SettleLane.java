package io.delayqueue.template.pull;

import io.delayqueue.coordination.Step;
import io.delayqueue.coordination.StepScheduler.StepHandle;
import io.delayqueue.event.EventBus;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.Renewal;
import io.delayqueue.store.Settle;
import io.delayqueue.store.StepReply;
import io.delayqueue.store.StepRequest;
import io.delayqueue.store.StepRequest.Claiming;
import io.delayqueue.template.DelayQueueException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Takes the answers to the deliveries of one shard. One request is under way at a time; what gathers meanwhile goes
 * together in the next. A request that got no answer is repeated as it is. Thread-safe.
 */
final class SettleLane implements Step {

    private static final Duration IDLE = Duration.ofDays(1);

    private final Tools tools;
    private final Shard shard;
    private final Recipient recipient;
    private final String consumer;
    private final Object lock = new Object();
    private final Deque<Entry> waiting = new ArrayDeque<>();
    private @Nullable Batch underWay;
    private @Nullable StepHandle repeating;
    private boolean unanswered;
    private long repeatAt;
    private int failures;
    private long failingSince;
    private long sequence;
    private boolean closed;

    /**
     * Of one shard.
     *
     * @param name by which its consumer is told from the others of this receiver
     */
    SettleLane(Tools tools, Shard shard, String name) {
        this.tools = tools;
        this.shard = shard;
        this.recipient = new Recipient(shard.topic(), shard.lane(), null);
        this.consumer = tools.epoch() + "." + name;
    }

    /**
     * Exactly one of settle and renewal is there.
     *
     * @param timing of what is settled, if somebody got it
     * @param at when it was asked for, by the monotonic clock
     */
    private record Entry(
            @Nullable Settle settle,
            @Nullable Renewal renewal,
            @Nullable Timing timing,
            long at,
            CompletableFuture<Boolean> accepted) {

        LeaseKey lease() {
            return settle != null
                    ? new LeaseKey(settle.id(), settle.token())
                    : new LeaseKey(
                            Objects.requireNonNull(renewal).id(),
                            Objects.requireNonNull(renewal).token());
        }
    }

    private record LeaseKey(String id, String token) {}

    private record Batch(StepRequest request, List<Entry> entries) {}

    CompletableFuture<Boolean> submit(Settle settle, Timing timing) {
        return submit(new Entry(settle, null, timing, tools.now(), new CompletableFuture<>()));
    }

    CompletableFuture<Boolean> submit(Renewal renewal) {
        return submit(new Entry(null, renewal, null, tools.now(), new CompletableFuture<>()));
    }

    /** Settles what no user asks about. */
    void submitUnasked(Settle settle) {
        CompletableFuture<?> unused = submit(new Entry(settle, null, null, tools.now(), new CompletableFuture<>()));
    }

    private CompletableFuture<Boolean> submit(Entry entry) {
        synchronized (lock) {
            waiting.add(entry);
        }
        sendNext();
        return entry.accepted;
    }

    private void sendNext() {
        Batch batch;
        synchronized (lock) {
            if (underWay != null || waiting.isEmpty()) {
                return;
            }
            batch = gather();
            underWay = batch;
        }
        send(batch);
    }

    /** Of two answers to one lease the second one waits for the next request, which tells it that the first one counted. */
    private Batch gather() {
        List<Entry> entries = new ArrayList<>();
        Set<LeaseKey> settled = new HashSet<>();
        while (!waiting.isEmpty() && entries.size() < StepRequest.MAX_BATCH) {
            Entry next = waiting.element();
            if (settled.contains(next.lease())) {
                break;
            }
            if (next.settle != null) {
                settled.add(next.lease());
            }
            entries.add(waiting.remove());
        }
        StepRequest request = new StepRequest(
                consumer,
                ++sequence,
                new Claiming(0, StepRequest.MAX_BYTES, Duration.ofSeconds(1)),
                tools.reclaiming(false),
                false,
                entries.stream().map(Entry::settle).filter(Objects::nonNull).toList(),
                entries.stream().map(Entry::renewal).filter(Objects::nonNull).toList());
        return new Batch(request, entries);
    }

    private void send(Batch batch) {
        tools.step(shard, batch.request).whenComplete((reply, failure) -> {
            if (failure == null) {
                answered(batch, reply);
            } else {
                failed(batch, failure);
            }
        });
    }

    private void answered(Batch batch, StepReply reply) {
        Set<Settle> gone = new HashSet<>(reply.gone());
        Set<Renewal> lost = new HashSet<>(reply.lost());
        for (Entry entry : batch.entries) {
            if (entry.settle != null) {
                tell(entry, entry.settle, !gone.contains(entry.settle), reply.nowMicros());
            }
        }
        end(() -> batch.entries.forEach(entry -> {
            boolean rejected = entry.settle != null ? gone.contains(entry.settle) : lost.contains(entry.renewal);
            entry.accepted.complete(!rejected);
        }));
    }

    private void tell(Entry entry, Settle settle, boolean accepted, long nowMicros) {
        Timing timing = entry.timing;
        Instant settledAt = Instant.ofEpochMilli(nowMicros / 1000);
        EventBus events = tools.events();
        String id = settle.id();
        Duration handling = timing == null ? null : timing.handling(entry.at, settledAt);
        if (settle instanceof Settle.Release) {
            if (accepted) {
                events.publish(to -> to.released(recipient, id));
            }
        } else if (!accepted) {
            events.publish(to -> to.gone(recipient, id, handling));
        } else if (settle instanceof Settle.Bury bury) {
            events.publish(to -> to.died(recipient, id, bury.cause(), handling));
        } else if (timing != null && handling != null && settle instanceof Settle.Retry retry) {
            events.publish(to -> to.retried(recipient, id, timing.attempt(), handling, retry.delay()));
        } else if (timing != null && handling != null) {
            Duration sinceSent = timing.sinceSent(settledAt);
            events.publish(to -> to.acknowledged(recipient, id, timing.attempt(), handling, sinceSent));
        }
    }

    private void failed(Batch batch, Throwable failure) {
        Throwable cause = Tools.unwrap(failure);
        tools.events().publish(events -> events.stepFailed("settle " + shard.topic(), cause, failingFor()));
        synchronized (lock) {
            if (cause instanceof RedisCallException && !closed) {
                unanswered = true;
                failures++;
                long backoff = tools.backoffNanos(failures);
                repeatAt = tools.now() + backoff;
                if (repeating == null) {
                    repeating = tools.scheduler().schedule("settle " + shard.topic(), this);
                } else {
                    repeating.wakeWithin(Duration.ofNanos(backoff));
                }
                return;
            }
        }
        end(() -> fail(batch.entries, cause));
    }

    private Duration failingFor() {
        synchronized (lock) {
            if (failures == 0) {
                failingSince = tools.now();
            }
            return Duration.ofNanos(tools.now() - failingSince);
        }
    }

    private void end(Runnable completion) {
        synchronized (lock) {
            underWay = null;
            unanswered = false;
            failures = 0;
            stopRepeating();
        }
        tools.complete(completion);
        sendNext();
    }

    private void fail(Collection<Entry> entries, Throwable cause) {
        entries.forEach(entry -> entry.accepted.completeExceptionally(new DelayQueueException(
                "What was answered to a delivery of topic " + shard.topic() + " did not reach Redis: "
                        + cause.getMessage(),
                cause)));
    }

    private void stopRepeating() {
        if (repeating != null) {
            repeating.cancel();
            repeating = null;
        }
    }

    /** Repeats what got no answer. */
    @Override
    public Duration step() {
        Batch batch;
        synchronized (lock) {
            batch = underWay;
            if (batch == null || !unanswered) {
                return IDLE;
            }
            long left = repeatAt - tools.now();
            if (left > 0) {
                return Duration.ofNanos(left);
            }
            unanswered = false;
        }
        send(batch);
        return IDLE;
    }

    /** Ends what is open; from now on each request is tried once. */
    void close() {
        List<Entry> open = new ArrayList<>();
        synchronized (lock) {
            closed = true;
            stopRepeating();
            if (underWay != null && unanswered) {
                open.addAll(underWay.entries);
                underWay = null;
            }
            open.addAll(waiting);
            waiting.clear();
        }
        fail(open, new IllegalStateException("the receiver was closed"));
    }
}
