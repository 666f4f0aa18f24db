package io.delayqueue.broker;

import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends to a broker by its own client, with the confirmations that a forward demands. Thread-safe. */
interface BareClient extends AutoCloseable {

    /**
     * Sends a message.
     *
     * @param confirmed called once when the broker has confirmed the message, or with the failure
     */
    void send(String id, Map<String, String> headers, byte[] body, Consumer<@Nullable Throwable> confirmed)
            throws Exception;

    @Override
    void close() throws Exception;
}
