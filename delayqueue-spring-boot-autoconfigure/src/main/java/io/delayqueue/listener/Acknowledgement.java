package io.delayqueue.listener;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A handler's answer. The first one counts; a later one does nothing. A handler that ends without having answered has
 * acknowledged if it ended well, and failed if it threw. Thread-safe; nothing here blocks.
 *
 * <p>Each future ends with whether the answer was accepted: false means that the lease was lost before, and nothing
 * changed. It fails only if the engine stops before it knows.
 */
public interface Acknowledgement {

    /** The message is done and goes. */
    CompletableFuture<Boolean> acknowledge();

    /**
     * Deliver it again, whatever the retry policy says; the attempt counts. When it was the last one permitted, the
     * message goes to the dead letters.
     *
     * @param delay zero or more
     */
    CompletableFuture<Boolean> retry(Duration delay);

    /**
     * Send it to the dead letters.
     *
     * @param reason kept with the letter
     */
    CompletableFuture<Boolean> bury(String reason);

    /**
     * Make the lease end not before a time from now. A listener's lease is renewed by itself; this is for the last
     * stretch of something that outlives the handling time, and for pulled deliveries.
     *
     * @param time 1 second to 1 day
     * @throws IllegalArgumentException if it isn't within that range
     */
    CompletableFuture<Boolean> extend(Duration time);
}
