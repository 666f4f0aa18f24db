package io.delayqueue.listener;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Settles a delivery from its handler. If a handler ends without a settlement, the delivery is acknowledged when the
 * handler returned normally and failed when it threw. Thread-safe; no method blocks.
 *
 * <p>Each future completes with whether Redis accepted the call: false means that the lease was lost before and
 * nothing changed. A future fails only if, before the reply, the engine stops or the topic is registered again with
 * another number of shards.
 *
 * <p>Only the first settlement counts. A later one changes nothing and yields false, and so does an extension after a
 * settlement.
 */
public interface Acknowledgement {

    /** Acknowledges the delivery: the message is handled and removed. */
    CompletableFuture<Boolean> acknowledge();

    /**
     * Schedules another attempt, independently of the retry policy. This attempt counts: if it was the last one
     * permitted, the message is dead-lettered.
     *
     * @param delay zero or more
     * @throws IllegalArgumentException if the delay is negative
     */
    CompletableFuture<Boolean> retry(Duration delay);

    /**
     * Postpones the message, for example because a resource that it needs is locked: schedules it again after a delay.
     * The attempt does not count, and is no failure. If the message was postponed as often as permitted, it is
     * dead-lettered instead; by default the number is unlimited. A message that expires before its next attempt is
     * dead-lettered then. Its {@linkplain Delivery#crashes() crashes} are kept.
     *
     * @param delay 0 to 3,650 days
     * @throws IllegalArgumentException if the delay is out of range
     */
    CompletableFuture<Boolean> postpone(Duration delay);

    /**
     * Postpones the message like {@link #postpone}, but lets other messages of its key be handled until then. A postponed
     * message of an ordered topic otherwise holds its key: the others wait for it. When it is due again, it follows those
     * that are due earlier. In other topics no message holds its key, and there is no difference.
     *
     * @param delay 0 to 3,650 days
     * @throws IllegalArgumentException if the delay is out of range
     */
    CompletableFuture<Boolean> letOthersPass(Duration delay);

    /**
     * Holds the topic, for example because a provider asked to wait: until the time has passed, no message of the topic is
     * claimed on any node, neither for listeners nor for receivers. This message is released and due then; the attempt
     * does not count, and is neither a failure nor a postponement. Of several holds the longest applies. An operator can
     * lift it.
     *
     * @param time 1 ms to 1 h
     * @throws IllegalArgumentException if the time is out of range, the topic has several shards, or this is a notification
     *     of a dead letter
     */
    CompletableFuture<Boolean> holdTopic(Duration time);

    /**
     * Dead-letters the message.
     *
     * @param reason stored with the dead letter
     */
    CompletableFuture<Boolean> deadLetter(String reason);

    /**
     * Extends the lease, so that it lasts at least the given time from now; never shortens it. This is no settlement. The
     * engine renews the leases of listeners by itself, so only work that continues beyond the listener's handling time needs
     * an extension. The lease of a received delivery is not renewed.
     *
     * @param time 1 s to 1 d
     * @throws IllegalArgumentException if the time is out of range
     */
    CompletableFuture<Boolean> extendLease(Duration time);
}
