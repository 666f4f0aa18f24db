package io.delayqueue.template.pull;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Settles deliveries by their receipt, from any process: for doors whose clients answer in a request of its own, which may
 * reach another node than the one that gave them the delivery. Thread-safe; nothing here blocks.
 *
 * <p>Each future ends with whether the answer was accepted; false means that the message is not live under this lease, no
 * more, and nothing changed. So it does for what is no receipt at all. An answer that Redis didn't give is asked for again
 * until it does, so that a future may take as long as an outage; to ask meanwhile is safe, and the first one that arrives
 * counts. Whoever doesn't wait any more cancels the future; what was asked for stays asked for. Dependents of these
 * futures must not block.
 */
public interface Leases {

    /** The message is done and goes. */
    CompletableFuture<Boolean> acknowledge(String topic, String id, String receipt);

    /**
     * Deliver it again; when this was the last permitted attempt, it goes to the dead letters.
     *
     * @param delay zero or more
     * @param reason kept with the message
     */
    CompletableFuture<Boolean> retry(String topic, String id, String receipt, Duration delay, String reason);

    /**
     * Send it to the dead letters.
     *
     * @param reason kept with the letter
     */
    CompletableFuture<Boolean> bury(String topic, String id, String receipt, String reason);

    /**
     * From now on the lease holds for a time, be that longer or shorter than it would have held.
     *
     * @param time 1 s to 1 d
     */
    CompletableFuture<Boolean> extend(String topic, String id, String receipt, Duration time);

    /** Hands it back as if it had not been claimed: it is due as before, and the attempt doesn't count. */
    CompletableFuture<Boolean> release(String topic, String id, String receipt);
}
