package io.delayqueue.template.receive;

import io.delayqueue.consume.LeasedMessage.Limits;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Durability;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.PollRequest.Reclaiming;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueException;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * State shared by the parts of a receiver. Thread-safe.
 */
final class ReceiverContext {

    private static final int MAX_RECLAIM = 100;

    final MessageStore store;
    final TopicRegistry topics;
    final SignalSource signals;
    final PeriodicTaskScheduler scheduler;
    final PayloadCodec codec;
    final EventBus events;
    final LongSupplier nanoTime;
    /** The topics from which receivers receive. */
    final ReceivedTopics received;
    /** The leases that receivers got. */
    final GivenLeases given;
    /** The receiver's consumer name; never used by another consumer. */
    final String consumer;
    /** Numbers the polls of all shards, so that a new poller of a shard continues the sequence. */
    final AtomicLong sequence = new AtomicLong();

    private final ReceiveSettings settings;
    private final Executor completions;
    private final Function<String, Durability> durability;
    private volatile boolean closed;

    /**
     * Creates the state of a receiver.
     *
     * @param shards returns the receiver's shard
     */
    ReceiverContext(DefaultDelayQueueReceiver.Builder builder, Function<Shard, ReceiverShard> shards) {
        this.store = builder.store;
        this.topics = builder.topics;
        this.signals = builder.signals;
        this.scheduler = builder.scheduler;
        this.codec = builder.codec;
        this.events = builder.events;
        this.settings = builder.settings;
        this.completions = builder.completions;
        this.durability = builder.durability;
        this.nanoTime = builder.nanoTime;
        this.received = new ReceivedTopics(builder.addConsumer, this);
        this.given = new GivenLeases(nanoTime, shards);
        this.consumer = new BigInteger(64, new SecureRandom()).toString(36);
    }

    long now() {
        return nanoTime.getAsLong();
    }

    /** The durability of the settlements of a topic. */
    Durability durability(String topic) {
        return durability.apply(topic);
    }

    /** From now on each poll is sent once. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    /** The current interval between sweeps. */
    Duration sweep() {
        return signals.confirmed() ? settings.sweep() : settings.unconfirmedSweep();
    }

    /** Returns the limits by which Redis detects an outage. A poll that only settles reclaims nothing. */
    Reclaiming reclaiming(boolean active) {
        // larger than the sweep, so that a late sweep does not count as an outage
        Duration gap = Reclaiming.gapFor(settings.sweep());
        return new Reclaiming(
                active ? MAX_RECLAIM : 0, settings.maxAttempts(), settings.crashes(), gap, settings.grace());
    }

    /** The limits of messages without limits of their own. */
    Limits limits(Duration lease) {
        return new Limits(lease, settings.maxAttempts(), settings.maxPostponements());
    }

    /** Number of postponements that a message may have. */
    int maxPostponements() {
        return settings.maxPostponements();
    }

    /** Completes futures of users on the executor; on this thread if the executor rejects the task. */
    void complete(Runnable completion) {
        Completions.on(completions, completion);
    }

    /** The result of a settlement for applications: fails with a {@link DelayQueueException}. */
    static CompletableFuture<Boolean> result(String topic, CompletableFuture<Boolean> settlement) {
        return settlement.exceptionallyCompose(failure -> {
            Throwable cause = Completions.cause(failure);
            return CompletableFuture.failedFuture(DelayQueueException.of(
                    "Settlements of topic " + Printable.of(topic) + " failed: " + cause.getMessage(), cause));
        });
    }
}
