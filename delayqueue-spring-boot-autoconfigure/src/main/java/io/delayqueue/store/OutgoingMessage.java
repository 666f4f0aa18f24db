package io.delayqueue.store;

import io.delayqueue.message.Due;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message that is ready to be stored.
 *
 * @param id its id
 * @param due when
 * @param onDuplicate what if the id is live
 * @param rest what is stored of it from its due time on, or with a delay from what follows that on
 * @param memory if what becomes of it is remembered, also when the message has gone
 */
@SuppressWarnings("ArrayRecordComponent") // handed straight to the client library
public record OutgoingMessage(
        String id,
        Due due,
        OnDuplicate onDuplicate,
        byte[] rest,
        @Nullable Memory memory) {

    /**
     * How to know a repeat for some time, whatever becomes of the message.
     *
     * @param nonce of this send only
     * @param time for how long, 1 ms or more
     */
    public record Memory(String nonce, Duration time) {}

    /** The nonce of messages whose id was generated for their send. */
    public static final String GENERATED_ID = "-";

    /**
     * Writes a message, so that one which can't be written fails by itself and before anything is sent.
     *
     * @param nonce by which a repeat of this send is recognised: letters and digits, or {@code -} where the id was
     *     generated for this send
     * @param limits what it fixes for itself
     * @param headers in their order
     * @param payload bytes
     * @throws RuntimeException if a value is out of the range of what can be stored
     */
    public static OutgoingMessage of(
            String id,
            Due due,
            OnDuplicate onDuplicate,
            String nonce,
            MessageLimits limits,
            Map<String, String> headers,
            byte[] payload) {
        return new OutgoingMessage(
                id, due, onDuplicate, EnvelopeFormat.rest(due, nonce, limits, headers, payload), null);
    }

    /** The same, remembered. */
    public OutgoingMessage remembered(Memory memory) {
        return new OutgoingMessage(id, due, onDuplicate, rest, memory);
    }
}
