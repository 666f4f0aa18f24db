package io.delayqueue.template.pull;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Pulls due messages, for whoever doesn't want a listener. Thread-safe.
 *
 * <p>Each delivery is leased to the receiver for the time it asked for, unless the message fixes its own lease. The lease
 * is not renewed by itself: what is neither settled nor extended in time is delivered again, to anybody, and the attempt
 * counts. Receivers of one topic are served in the order in which they came. Waiting holds no thread of the queue's and
 * no connection.
 */
public interface DelayQueueReceiver {

    /**
     * Waits for due messages.
     *
     * @param topic the topic
     * @param max at most so many, 1 to 500; together at most 2 MiB, but at least one
     * @param wait how long to wait for the first one, 0 to 1 d; with 0 it is looked once
     * @param lease for how long they are leased, 1 s to 1 d
     * @return at least one, or none when the time is over or the thread was interrupted, whose flag is then set
     * @throws io.delayqueue.template.DelayQueueUnavailableException if Redis was out of reach when the time was over;
     *     this may take a command time-out longer
     */
    List<PulledDelivery> receive(String topic, int max, Duration wait, Duration lease);

    /** The same as {@link #receive(String, int, Duration, Duration)}. */
    List<PulledDelivery> receive(ReceiveRequest request);

    /**
     * The same without blocking. If the future is cancelled, or ended by somebody else, nothing is taken in its name:
     * what is being claimed for it is handed back, and the attempt doesn't count.
     */
    CompletableFuture<List<PulledDelivery>> receiveAsync(String topic, int max, Duration wait, Duration lease);

    /** The same as {@link #receiveAsync(String, int, Duration, Duration)}. */
    CompletableFuture<List<PulledDelivery>> receiveAsync(ReceiveRequest request);

    /**
     * Waits for due messages of any of several topics. They are looked at in their order, which is that of their priority;
     * where none has any, the first one that has some ends the wait. All deliveries are of one topic.
     *
     * @param topics 1 to 100; one that is named twice counts once
     * @param max at most so many, 1 to 500
     * @param wait how long to wait for the first one, 0 to 1 d; the first look at each topic may take longer
     * @param lease for how long they are leased, 1 s to 1 d
     * @return as {@link #receiveAsync(String, int, Duration, Duration)}; it fails if none has any and one of them was out
     *     of reach
     */
    CompletableFuture<List<PulledDelivery>> receiveAsync(List<String> topics, int max, Duration wait, Duration lease);
}
