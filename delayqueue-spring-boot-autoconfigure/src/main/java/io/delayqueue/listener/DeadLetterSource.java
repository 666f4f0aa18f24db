package io.delayqueue.listener;

import io.delayqueue.message.DeadLetter;
import java.util.Optional;

/** Where dead-letter listeners get their letters from. Thread-safe. */
public interface DeadLetterSource {

    /**
     * Loads a letter.
     *
     * @return empty when it is gone: replayed, purged or dropped by retention
     * @throws RuntimeException when there is no answer
     */
    Optional<DeadLetter> find(String topic, String letterId);

    /**
     * Has a notice left of each death in a topic from now on. Neither waits for Redis nor fails without it: the source
     * sees to it as soon as there is an answer. May be called before anything is started, and again.
     */
    void attend(String topic);
}
