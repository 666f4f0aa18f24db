package io.delayqueue.template.receive;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Settles deliveries by their {@linkplain LeasedDelivery#receipt() receipt}, from any process. Interfaces such as the HTTP
 * API use it: a client's settlement may reach another node than the node that delivered the message. Thread-safe; no
 * method blocks.
 *
 * <p>Each future completes with whether Redis accepted the settlement. False means that the message is not live under
 * this lease and nothing changed; an invalid receipt also yields false. A call without a reply is retried until Redis
 * replies, so a future can take as long as an outage. Repeating a settlement meanwhile is safe: the first one that
 * reaches Redis counts. Cancelling a future ends only the wait, not the settlement. Dependents of the futures must not
 * block.
 */
public interface Leases {

    /** Acknowledges the delivery: removes the message. */
    CompletableFuture<Boolean> acknowledge(String receipt);

    /**
     * Retries the message after a delay; dead-letters it if this was the last permitted attempt.
     *
     * @param delay zero or more
     * @param reason stored with the message as its last failure
     * @throws IllegalArgumentException if the delay is negative
     */
    CompletableFuture<Boolean> retry(String receipt, Duration delay, String reason);

    /**
     * Postpones the message: schedules it again after a delay. The attempt does not count. If the message was postponed
     * as often as {@code delayqueue.listener.max-postponements} permits, it is dead-lettered instead.
     *
     * @param delay 0 to 3,650 days
     * @throws IllegalArgumentException if the delay is out of range
     */
    CompletableFuture<Boolean> postpone(String receipt, Duration delay);

    /**
     * Postpones the message like {@link #postpone}, but lets other messages of its key be handled until then, in an
     * ordered topic. In other topics no message holds its key, and there is no difference.
     *
     * @param delay 0 to 3,650 days
     * @throws IllegalArgumentException if the delay is out of range
     */
    CompletableFuture<Boolean> letOthersPass(String receipt, Duration delay);

    /**
     * Holds the topic: releases the message, and until the time has passed no message of the topic is claimed on any node.
     * Of several holds the longest applies.
     *
     * @param time 1 ms to 1 h
     * @return fails with an {@link IllegalArgumentException} if the topic has several shards
     * @throws IllegalArgumentException if the time is out of range
     */
    CompletableFuture<Boolean> holdTopic(String receipt, Duration time);

    /**
     * Dead-letters the message.
     *
     * @param reason stored with the dead letter
     */
    CompletableFuture<Boolean> deadLetter(String receipt, String reason);

    /**
     * Extends the lease, so that it lasts at least the given time from now; never shortens it. This is no settlement.
     *
     * @param time 1 s to 1 d
     * @throws IllegalArgumentException if the time is out of its range
     */
    CompletableFuture<Boolean> extendLease(String receipt, Duration time);

    /** Releases the delivery: the message is due as before, and the attempt does not count. */
    CompletableFuture<Boolean> release(String receipt);

    /**
     * Settles deliveries together: settlements of a shard share a round trip, up to 500 that acknowledge and up to 50 that
     * retry, dead-letter or release.
     *
     * @param settlements calls methods of the given leases; nothing is sent before it returns, unless the shard of a
     *     message has to be looked up or an earlier call to the shard ends meanwhile
     */
    void together(Consumer<Leases> settlements);
}
