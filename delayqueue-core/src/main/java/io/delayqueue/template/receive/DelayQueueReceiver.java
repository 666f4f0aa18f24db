package io.delayqueue.template.receive;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.util.Assert;

/**
 * Receives due messages on request, as an alternative to a listener. Thread-safe.
 *
 * <pre>{@code
 * receiver.receive("order-cancel", 10, Duration.ofSeconds(20));
 * receiver.receive(ReceiveRequest.from("order-cancel").max(10).lease(Duration.ofMinutes(5)));
 * }</pre>
 *
 * <p>The lease of a delivery is that of the message, then that of the request, then the default lease of the topic:
 * {@code delayqueue.topics[name].lease}, then {@code delayqueue.listener.lease}, 30 s by default. The lease is not
 * renewed automatically: a delivery that is neither settled nor extended in time is delivered again to any consumer, and
 * the attempt counts. Receivers of one topic are served in the order of their requests. A waiting receiver uses no
 * thread of the queue and no connection.
 *
 * <p>A request may name several topics. The topics are first polled once in the given order, which is their priority. If
 * none has due messages, the first topic that has some ends the wait. All deliveries of a call are of one topic.
 */
public interface DelayQueueReceiver {

    /**
     * Waits for due messages of a topic, with its default lease.
     *
     * @param topic the topic
     * @param max most deliveries, 1 to 500; together at most 2 MiB, but at least one
     * @param wait longest wait for the first delivery, 0 to 1 d; 0 polls once
     * @return the deliveries; empty if the wait timed out or the thread was interrupted, in which case its interrupt
     *     flag is set
     * @throws IllegalArgumentException if an argument is out of its range
     * @throws io.delayqueue.template.DelayQueueUnavailableException if Redis was unavailable when the wait timed out;
     *     this can take a command timeout longer
     */
    default List<LeasedDelivery> receive(String topic, int max, Duration wait) {
        Assert.notNull(wait, "'wait' must not be null");
        return receive(ReceiveRequest.from(topic).max(max).waitTime(wait));
    }

    /**
     * Receives like {@link #receive(String, int, Duration)}. With several topics, the first poll of each may take longer
     * than the wait, and the call fails if no topic has due messages and Redis was unavailable for one of them.
     */
    List<LeasedDelivery> receive(ReceiveRequest request);

    /**
     * Receives like {@link #receive(String, int, Duration)} without blocking. If the caller cancels or completes the
     * future, deliveries that are claimed for it are released, and the attempt does not count.
     */
    default CompletableFuture<List<LeasedDelivery>> receiveAsync(String topic, int max, Duration wait) {
        Assert.notNull(wait, "'wait' must not be null");
        return receiveAsync(ReceiveRequest.from(topic).max(max).waitTime(wait));
    }

    /** Receives like {@link #receive(ReceiveRequest)}, without blocking; see {@link #receiveAsync(String, int, Duration)}. */
    CompletableFuture<List<LeasedDelivery>> receiveAsync(ReceiveRequest request);
}
