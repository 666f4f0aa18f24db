package io.delayqueue.forward;

import java.util.concurrent.CompletionStage;

/** Hands messages to a broker. Thread-safe. */
@FunctionalInterface
public interface Forwarder {

    /**
     * Sends a message. May block; where it does for too long, its thread is interrupted.
     *
     * @return ends well once the broker has confirmed the message, and badly if it refused it or nobody knows; is cancelled
     *     where nobody waits for it any more
     * @throws Exception if it could not be sent
     */
    CompletionStage<?> forward(ForwardedMessage message) throws Exception;
}
