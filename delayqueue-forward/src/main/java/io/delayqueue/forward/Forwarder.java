package io.delayqueue.forward;

import java.util.concurrent.CompletionStage;

/** Sends messages to a broker. Thread-safe. */
@FunctionalInterface
public interface Forwarder {

    /**
     * Sends a message. May block. If the call exceeds the route's timeout, its thread is interrupted.
     *
     * @return completes when the broker has confirmed the message; fails if the broker rejected it or the outcome is
     *     unknown; the caller cancels it after the route's timeout
     * @throws Exception if the message could not be sent
     */
    CompletionStage<?> forward(ForwardedMessage message) throws Exception;
}
