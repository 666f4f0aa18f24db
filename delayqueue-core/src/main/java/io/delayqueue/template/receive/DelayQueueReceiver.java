package io.delayqueue.template.receive;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.util.Assert;

/**
 * Receives due messages on request, as an alternative to a listener. Thread-safe.
 *
 * <p>Each delivery is leased for the requested time, unless the message has its own lease. The lease is not renewed
 * automatically: a delivery that is neither settled nor extended in time is delivered again to any consumer, and the
 * attempt counts. Receivers of one topic are served in the order of their requests. A waiting receiver uses no thread
 * of the queue and no connection.
 */
public interface DelayQueueReceiver {

    /**
     * Waits for due messages.
     *
     * @param topic the topic
     * @param max most deliveries, 1 to 500; together at most 2 MiB, but at least one
     * @param wait longest wait for the first delivery, 0 to 1 d; 0 polls once
     * @param lease duration of the lease, 1 s to 1 d
     * @return the deliveries; empty if the wait timed out or the thread was interrupted, in which case its interrupt
     *     flag is set
     * @throws IllegalArgumentException if an argument is out of its range
     * @throws io.delayqueue.template.DelayQueueUnavailableException if Redis was unavailable when the wait timed out;
     *     this can take a command timeout longer
     */
    default List<LeasedDelivery> receive(String topic, int max, Duration wait, Duration lease) {
        Assert.notNull(wait, "'wait' must not be null");
        return receive(new ReceiveRequest(topic, max, wait, lease));
    }

    /** Receives like {@link #receive(String, int, Duration, Duration)}. */
    List<LeasedDelivery> receive(ReceiveRequest request);

    /**
     * Receives like {@link #receive(String, int, Duration, Duration)} without blocking. If the caller cancels or
     * completes the future, deliveries that are claimed for it are released, and the attempt does not count.
     */
    default CompletableFuture<List<LeasedDelivery>> receiveAsync(String topic, int max, Duration wait, Duration lease) {
        Assert.notNull(wait, "'wait' must not be null");
        return receiveAsync(new ReceiveRequest(topic, max, wait, lease));
    }

    /** Receives like {@link #receiveAsync(String, int, Duration, Duration)}. */
    CompletableFuture<List<LeasedDelivery>> receiveAsync(ReceiveRequest request);

    /**
     * Waits for due messages of one of several topics. The topics are first polled once in the given order, which is
     * their priority. If none has due messages, the first topic that has some ends the wait. All deliveries are of one
     * topic.
     *
     * @param topics 1 to 100 topics; duplicates are ignored
     * @param max most deliveries, 1 to 500
     * @param wait longest wait for the first delivery, 0 to 1 d; the first poll of each topic may take longer
     * @param lease duration of the lease, 1 s to 1 d
     * @return as {@link #receiveAsync(String, int, Duration, Duration)}; fails if no topic has due messages and
     *     Redis was unavailable for one of them
     */
    CompletableFuture<List<LeasedDelivery>> receiveAsync(List<String> topics, int max, Duration wait, Duration lease);
}
