package io.delayqueue.template.pull;

import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.coordination.StepScheduler;
import io.delayqueue.event.EventBus;
import io.delayqueue.redis.SignalSource;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Pulls from Redis, by steps on the engine's scheduler. Thread-safe. After {@link #close()}, which ends waits with
 * nothing and hands back what is being claimed, it takes no more requests.
 */
public final class PullingReceiver implements DelayQueueReceiver, AutoCloseable {

    private static final int MAX_TOPICS = 100;
    private static final int EPOCH_LENGTH = 13;
    private static final int EPOCH_RADIX = 36;

    private final Tools tools;
    private final Map<String, TopicPump> pumps = new ConcurrentHashMap<>();
    private final LeaseLanes leases;
    private volatile boolean closed;

    private PullingReceiver(Tools tools) {
        this.tools = tools;
        this.leases = new LeaseLanes(tools);
    }

    /**
     * Begins a receiver.
     *
     * @param store where messages come from
     * @param topics knows a topic's shards
     * @param codec converts payloads
     * @param signals announce what is due
     * @param scheduler calls the steps
     */
    public static Builder builder(
            MessageStore store,
            TopicRegistry topics,
            PayloadCodec codec,
            SignalSource signals,
            StepScheduler scheduler) {
        return new Builder(store, topics, codec, signals, scheduler);
    }

    @Override
    public List<PulledDelivery> receive(String topic, int max, Duration wait, Duration lease) {
        return receive(new ReceiveRequest(topic, max, wait, lease));
    }

    @Override
    public List<PulledDelivery> receive(ReceiveRequest request) {
        CompletableFuture<List<PulledDelivery>> future = receiveAsync(request);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                    if (future.complete(List.of())) {
                        return List.of();
                    }
                } catch (ExecutionException e) {
                    throw e.getCause() instanceof RuntimeException told ? told : new IllegalStateException(e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public CompletableFuture<List<PulledDelivery>> receiveAsync(String topic, int max, Duration wait, Duration lease) {
        return receiveAsync(new ReceiveRequest(topic, max, wait, lease));
    }

    @Override
    public CompletableFuture<List<PulledDelivery>> receiveAsync(ReceiveRequest request) {
        if (closed) {
            throw new IllegalStateException("The receiver was closed");
        }
        TopicPump pump = pumps.computeIfAbsent(request.topic(), topic -> new TopicPump(tools, topic));
        if (closed) {
            // made too late to be seen by who closed the others
            pump.close();
        }
        return pump.receive(request);
    }

    @Override
    public CompletableFuture<List<PulledDelivery>> receiveAsync(
            List<String> topics, int max, Duration wait, Duration lease) {
        List<ReceiveRequest> requests = topics.stream()
                .distinct()
                .map(topic -> new ReceiveRequest(topic, max, wait, lease))
                .toList();
        if (requests.isEmpty() || requests.size() > MAX_TOPICS) {
            throw new IllegalArgumentException(
                    "One waits at 1 to " + MAX_TOPICS + " topics, but not at " + requests.size());
        }
        return requests.size() == 1
                ? receiveAsync(requests.get(0))
                : new AnyTopic(this, requests, tools.nanoTime()).start();
    }

    /** Settles by receipts; it ends with this receiver. */
    public Leases leases() {
        return leases;
    }

    @Override
    public void close() {
        closed = true;
        new ArrayList<>(pumps.values()).forEach(TopicPump::close);
        leases.close();
    }

    /** Collects what a receiver is made of. Not thread-safe. */
    public static final class Builder {

        private final MessageStore store;
        private final TopicRegistry topics;
        private final PayloadCodec codec;
        private final SignalSource signals;
        private final StepScheduler scheduler;
        private EventBus events = new EventBus(List.of());
        private PullSettings settings = PullSettings.DEFAULTS;
        private Executor completions = Runnable::run;
        private LongSupplier nanoTime = System::nanoTime;
        private RandomGenerator random = new SecureRandom();

        private Builder(
                MessageStore store,
                TopicRegistry topics,
                PayloadCodec codec,
                SignalSource signals,
                StepScheduler scheduler) {
            this.store = store;
            this.topics = topics;
            this.codec = codec;
            this.signals = signals;
            this.scheduler = scheduler;
        }

        /** Told what happens. */
        public Builder events(EventBus events) {
            this.events = events;
            return this;
        }

        /** How pulling goes about; {@link PullSettings#DEFAULTS} unless said. */
        public Builder settings(PullSettings settings) {
            this.settings = settings;
            return this;
        }

        /** Where what depends on the futures runs; unless said, on the threads of the scheduler and of the Redis client. */
        public Builder completions(Executor completions) {
            this.completions = completions;
            return this;
        }

        /** The monotonic clock, ns. */
        public Builder nanoTime(LongSupplier nanoTime) {
            this.nanoTime = nanoTime;
            return this;
        }

        /** Where the name that tells this receiver from all others comes from. */
        public Builder random(RandomGenerator random) {
            this.random = random;
            return this;
        }

        /** Makes the receiver; nothing runs before the first request. */
        public PullingReceiver build() {
            StringBuilder epoch = new StringBuilder(EPOCH_LENGTH);
            for (int i = 0; i < EPOCH_LENGTH; i++) {
                epoch.append(Character.forDigit(random.nextInt(EPOCH_RADIX), EPOCH_RADIX));
            }
            Tools tools = new Tools(
                    store,
                    topics,
                    signals,
                    scheduler,
                    codec,
                    events,
                    settings,
                    epoch.toString(),
                    completions,
                    nanoTime);
            return new PullingReceiver(tools);
        }
    }
}
