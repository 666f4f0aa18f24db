package io.delayqueue.listener;

import io.delayqueue.message.DeadLetter;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Handles deaths. Called at least once for each; concurrently, up to the listener's concurrency. */
@FunctionalInterface
public interface DeadLetterHandler {

    /**
     * Handles one death.
     *
     * @param letter the letter, which stays whatever happens here
     * @param notice the delivery that tells of it: its attempt, its lease, its acknowledgement
     * @return null when done, or a stage that ends when it is; the permit is held until then
     * @throws Exception has it called again, as the default retry policy says
     */
    @Nullable
    CompletionStage<?> handle(DeadLetter letter, Delivery notice) throws Exception;
}
