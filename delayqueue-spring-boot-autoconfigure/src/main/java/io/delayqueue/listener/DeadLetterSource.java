package io.delayqueue.listener;

import io.delayqueue.message.DeadLetter;
import java.util.Optional;

/** Where dead-letter listeners get their letters from. Thread-safe. */
@FunctionalInterface
public interface DeadLetterSource {

    /**
     * Loads a letter.
     *
     * @return empty when it is gone: replayed, purged or dropped by retention
     * @throws RuntimeException when there is no answer
     */
    Optional<DeadLetter> find(String topic, String letterId);
}
