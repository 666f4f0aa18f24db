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
 * @param id id of the message
 * @param due due time or delay
 * @param onDuplicate what to do if a message with this id is live
 * @param key the key; null if it has none
 * @param rest the stored bytes from the due time on, or, for a delay, after the due time
 * @param memory how the outcome of the send is remembered beyond the life of the message; null if it is not
 */
@SuppressWarnings("ArrayRecordComponent") // handed straight to the client library
public record OutgoingMessage(
        String id,
        Due due,
        OnDuplicate onDuplicate,
        @Nullable String key,
        byte[] rest,
        @Nullable Memory memory) {

    /**
     * The memory of a send's or cancel's outcome, by which Redis recognises a repeat even if the message is no longer live.
     *
     * @param nonce nonce of this send or cancel, used by no other one
     * @param time time for which the outcome is remembered, 1 ms or more
     */
    public record Memory(String nonce, Duration time) {}

    /** The nonce of a message whose id was generated for its send. */
    public static final String GENERATED_ID = "-";

    /**
     * Encodes a message. An invalid message fails here, alone and before anything is sent.
     *
     * @param nonce letters and digits by which Redis recognises a repeat of this send, or {@link #GENERATED_ID} if the
     *     id was generated for this send
     * @param limits the message's own limits
     * @param key the key; null if it has none
     * @param headers headers in their order
     * @param payload payload as bytes
     * @throws RuntimeException if a value is out of the range that the format can hold
     */
    public static OutgoingMessage of(
            String id,
            Due due,
            OnDuplicate onDuplicate,
            String nonce,
            MessageLimits limits,
            @Nullable String key,
            Map<String, String> headers,
            byte[] payload) {
        return new OutgoingMessage(
                id, due, onDuplicate, key, EnvelopeFormat.rest(due, nonce, limits, key, headers, payload), null);
    }

    /** The message as Redis stores it, except for its times: the time of the send, and the due time of a delay, are 0. */
    public byte[] envelope() {
        return EnvelopeFormat.withoutTimes(due, rest);
    }

    /** The same message with a memory of its outcome. */
    public OutgoingMessage remembered(Memory memory) {
        return new OutgoingMessage(id, due, onDuplicate, key, rest, memory);
    }
}
