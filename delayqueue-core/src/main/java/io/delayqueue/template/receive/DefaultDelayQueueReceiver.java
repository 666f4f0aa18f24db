package io.delayqueue.template.receive;

import io.delayqueue.Internal;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.coordination.ReceivedLeases;
import io.delayqueue.event.EventBus;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Durability;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.SignalSource;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

/**
 * Receives from Redis. Thread-safe. {@link #close()} ends waits with an empty result and releases what is being claimed;
 * later requests throw an {@link IllegalStateException}.
 */
@Internal
public final class DefaultDelayQueueReceiver implements DelayQueueReceiver, AutoCloseable {

    private final ReceiverContext context;
    private final Map<String, ReceiverTopic> topics = new ConcurrentHashMap<>();
    private final Leases leases;
    private final Function<String, Duration> lease;

    private DefaultDelayQueueReceiver(Builder builder) {
        this.context = new ReceiverContext(builder, this::shard);
        this.lease = builder.lease;
        this.leases = new ReceiptLeases(context, this::shard);
    }

    /**
     * Returns a builder.
     *
     * @param store provides the messages
     * @param topics provides the shards of a topic
     * @param codec converts payloads
     * @param signals announce due messages
     * @param scheduler runs the tasks
     */
    public static Builder builder(
            MessageStore store,
            TopicRegistry topics,
            PayloadCodec codec,
            SignalSource signals,
            PeriodicTaskScheduler scheduler) {
        return new Builder(store, topics, codec, signals, scheduler);
    }

    @Override
    public List<LeasedDelivery> receive(ReceiveRequest request) {
        Assert.notNull(request, "'request' must not be null");
        Await.requireBlockingThread();
        CompletableFuture<List<LeasedDelivery>> future = receiveAsync(request);
        try {
            try {
                return future.get();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                future.complete(List.of());
                return future.join();
            }
        } catch (ExecutionException | CompletionException e) {
            throw Completions.unchecked(e);
        }
    }

    @Override
    public CompletableFuture<List<LeasedDelivery>> receiveAsync(ReceiveRequest request) {
        Assert.notNull(request, "'request' must not be null");
        List<TopicRequest> requests = request.topics().stream()
                .map(topic -> new TopicRequest(
                        topic,
                        request.max(),
                        request.waitTime(),
                        request.lease() == null ? lease.apply(topic) : request.lease()))
                .toList();
        return requests.size() == 1
                ? receiveAsync(requests.get(0))
                : new AnyTopic(this, requests, context.nanoTime).start();
    }

    /** Receives from one topic. */
    CompletableFuture<List<LeasedDelivery>> receiveAsync(TopicRequest request) {
        if (context.isClosed()) {
            throw new IllegalStateException("The receiver was closed");
        }
        CompletableFuture<List<LeasedDelivery>> future = new CompletableFuture<>();
        receive(request, future);
        return future;
    }

    /** Receives into a future, which is empty if this receiver is closed. */
    void receive(TopicRequest request, CompletableFuture<List<LeasedDelivery>> future) {
        ReceiverTopic topic = topic(request.topic());
        topic.receive(request, future);
        if (context.isClosed()) {
            // added too late for close()
            topic.close();
        }
    }

    private ReceiverShard shard(Shard shard) {
        return topic(shard.topic()).shard(shard);
    }

    private ReceiverTopic topic(String name) {
        return topics.computeIfAbsent(name, topic -> new ReceiverTopic(context, topic, this));
    }

    /** No more receivers can be added to an instance. */
    void ended(String name, ReceiverTopic topic) {
        topics.remove(name, topic);
    }

    /**
     * Whether a received message is known to have been sent with a {@linkplain
     * io.delayqueue.message.DelayMessage.Builder#version version}.
     */
    public static boolean hasVersion(LeasedDelivery delivery) {
        return delivery instanceof ReceivedDelivery own && own.hasVersion();
    }

    /** Names the HTTP client that is about to get received messages, for operators. */
    public static void heldBy(String client, List<LeasedDelivery> deliveries) {
        for (LeasedDelivery delivery : deliveries) {
            if (delivery instanceof ReceivedDelivery own) {
                own.heldBy(client);
            }
        }
    }

    /** The leases that receivers got and that are not settled. */
    public ReceivedLeases givenLeases() {
        return context.given;
    }

    /** Number of topics with waiting receivers plus number of shards with unsent settlements. */
    int kept() {
        return topics.values().stream()
                .mapToInt(topic -> topic.busyShards() + (topic.isReceiving() ? 1 : 0))
                .sum();
    }

    /** Settles deliveries by receipts. Closed with this receiver. */
    public Leases leases() {
        return leases;
    }

    @Override
    public void close() {
        context.close();
        List.copyOf(topics.values()).forEach(ReceiverTopic::close);
    }

    /** Builds a receiver. Not thread-safe. */
    public static final class Builder {

        final MessageStore store;
        final TopicRegistry topics;
        final PayloadCodec codec;
        final SignalSource signals;
        final PeriodicTaskScheduler scheduler;
        EventBus events = new EventBus(List.of());
        ReceiveSettings settings = ReceiveSettings.DEFAULTS;
        Executor completions = Runnable::run;
        Function<String, Durability> durability = topic -> Durability.NONE;
        Function<String, Duration> lease = topic -> ListenerOptions.DEFAULTS.lease();
        LongSupplier nanoTime = System::nanoTime;

        @Nullable
        Function<Shard, Runnable> addConsumer;

        private Builder(
                MessageStore store,
                TopicRegistry topics,
                PayloadCodec codec,
                SignalSource signals,
                PeriodicTaskScheduler scheduler) {
            this.store = store;
            this.topics = topics;
            this.codec = codec;
            this.signals = signals;
            this.scheduler = scheduler;
        }

        /** Sets the event bus. Default: one without listeners. */
        public Builder events(EventBus events) {
            this.events = events;
            return this;
        }

        /** Sets the settings. Default: {@link ReceiveSettings#DEFAULTS}. */
        public Builder settings(ReceiveSettings settings) {
            this.settings = settings;
            return this;
        }

        /** Sets the durability of the settlements of each topic. Default: {@link Durability#NONE}. */
        public Builder durability(Function<String, Durability> durability) {
            this.durability = durability;
            return this;
        }

        /** Sets the default lease of each topic, 1 s to 1 d. Default: 30 s. */
        public Builder lease(Function<String, Duration> lease) {
            this.lease = lease;
            return this;
        }

        /**
         * Sets the executor that runs the futures' dependents. Default: the threads that complete the futures, such as
         * those of the Redis client.
         */
        public Builder completions(Executor completions) {
            this.completions = completions;
            return this;
        }

        /** Sets the monotonic clock, in nanoseconds. Default: {@link System#nanoTime()}. */
        public Builder nanoTime(LongSupplier nanoTime) {
            this.nanoTime = nanoTime;
            return this;
        }

        /**
         * Sets a callback for the topics from which this node receives. Default: none.
         *
         * @param addConsumer called with a shard of the topic when receiving starts; returns a task that runs one
         *     minute after the last receiver has ended
         */
        public Builder addConsumer(Function<Shard, Runnable> addConsumer) {
            this.addConsumer = addConsumer;
            return this;
        }

        /** Builds the receiver. It runs no task before the first request. */
        public DefaultDelayQueueReceiver build() {
            return new DefaultDelayQueueReceiver(this);
        }
    }
}
