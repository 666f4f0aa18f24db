package io.delayqueue.listener;

import io.delayqueue.message.DeadLetter;
import java.util.Optional;

/** Loads dead letters for dead-letter listeners. Thread-safe. */
@FunctionalInterface
public interface DeadLetterSource {

    /**
     * Loads a dead letter.
     *
     * @return empty if the dead letter no longer exists: it was replayed, purged or dropped by retention
     * @throws RuntimeException if Redis does not reply
     */
    Optional<DeadLetter> find(String topic, String deadLetterId);
}
