package io.delayqueue.listener;

import io.delayqueue.message.DeadLetter;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Handles dead letters. The engine calls it at least once for each dead letter, concurrently up to the listener's
 * concurrency. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface DeadLetterHandler {

    /**
     * Handles one dead letter.
     *
     * @param deadLetter the dead letter; it stays in Redis whether this call succeeds or fails
     * @param notification the delivery of the notification, with its attempt, lease and acknowledgement
     * @return null if the dead letter is handled, or a stage that completes when it is; the concurrency permit is
     *     held until then
     * @throws Exception if handling failed; the default retry policy decides about another call
     */
    @Nullable
    CompletionStage<?> handle(DeadLetter deadLetter, Delivery notification) throws Exception;
}
