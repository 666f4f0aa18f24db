package io.delayqueue.benchmark.contender;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A delay queue. The methods that send are thread-safe. */
public interface Contender extends AutoCloseable {

    /**
     * Starts a queue.
     *
     * @param party the queue
     * @param port the port of Redis on the loopback interface
     * @param measure the measurement for which the topic and its listener are configured
     * @throws IllegalArgumentException if the party is not a queue of this process
     */
    static Contender of(Party party, int port, Measure measure) {
        return switch (party) {
            case PRODUCT -> new ProductContender(port, measure);
            case REDISSON, REDISSON_POLLING ->
                new RedissonContender(port, measure.concurrency(), party == Party.REDISSON_POLLING);
            case JAVA -> new JavaContender(measure.concurrency());
            case FLOOR_LETTUCE,
                    FLOOR_JEDIS,
                    BULLMQ,
                    ORIGINAL,
                    LISTENER,
                    SPRING_BOOT,
                    NO_MESSAGE,
                    NO_OUTBOX,
                    OUTBOX,
                    OUTBOX_GIVEN_IDS -> throw new IllegalArgumentException(party + " is not a queue of this process");
        };
    }

    /** A message to send: its payload and due time. */
    record Item(String payload, Instant dueAt) {}

    /** Sends a message and waits until it is accepted. */
    void send(Item item);

    /** Sends messages in as few calls as the queue allows and waits until they are accepted. */
    void sendAll(List<Item> items);

    /** Sends a message without waiting. The future completes when the message is accepted. */
    default CompletableFuture<?> sendAsync(Item item) {
        throw new UnsupportedOperationException("The queue does not send asynchronously");
    }

    /** Removes all messages if they are in the memory of this process, which is smaller than that of Redis. */
    default void discard() {}

    /**
     * Starts to consume with the concurrency of the measurement. May be called again after {@link #stop()}.
     *
     * @param handler called for each message, on any thread
     */
    void consume(Consumer<String> handler);

    /**
     * The number of messages that were settled since {@link #consume}: acknowledged or, if the queue has no
     * acknowledgements, delivered.
     */
    long settled();

    /** The polls of the product, which are recorded for {@link Measure#LAG} only. */
    default PollLog polls() {
        throw new UnsupportedOperationException("The queue does not record its polls");
    }

    /** Stops consuming. */
    void stop();

    /** Consumes empty topics until this contender is closed. */
    void watch(int topics);

    @Override
    void close();
}
