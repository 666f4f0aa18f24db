package io.delayqueue.template;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.SendResult;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.OutgoingMessage.Memory;
import java.nio.charset.CharsetEncoder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message that was checked, named and serialised, on its way through the interceptors. Not thread-safe. */
final class PendingMessage implements SendInterceptor.Sending {

    /** The head of a stored message, at its longest, and the lengths in the protocol. */
    private static final int OVERHEAD = 200;

    private final DelayMessage message;
    private final String id;
    private final String nonce;
    private final byte[] payload;
    private final Map<String, String> headers;

    PendingMessage(DelayMessage message, String id, String nonce, byte[] payload) {
        this.message = message;
        this.id = id;
        this.nonce = nonce;
        this.payload = payload;
        this.headers = new LinkedHashMap<>(message.headers());
    }

    @Override
    public DelayMessage message() {
        return message.id() == null ? message.toBuilder().id(id).build() : message;
    }

    @Override
    public String topic() {
        return message.topic();
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public void header(String name, String value) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("A header's name must not be blank");
        }
        headers.put(name, Objects.requireNonNull(value, "value"));
    }

    /** The message such that sending it again is recognised as a repeat. */
    DelayMessage repeatable() {
        return message.toBuilder().id(id).nonce(nonce).build();
    }

    boolean refusesDuplicate() {
        return message.onDuplicate() == OnDuplicate.REFUSE;
    }

    /**
     * The message as it is stored.
     *
     * @throws RuntimeException if it can't be written
     */
    OutgoingMessage outgoing() {
        OutgoingMessage outgoing =
                OutgoingMessage.of(id, message.due(), message.onDuplicate(), nonce, message.limits(), headers, payload);
        Duration remembered = message.remembered();
        return remembered == null ? outgoing : outgoing.remembered(new Memory(nonce, remembered));
    }

    SendResult.Refused refused(String reason) {
        return new SendResult.Refused(topic(), id, reason);
    }

    /** About how many bytes it takes on its way. */
    int bytes() {
        return OVERHEAD + payload.length + 3 * id.length() + headerBytes();
    }

    int headerBytes() {
        int bytes = 0;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            bytes += header.getKey().getBytes(UTF_8).length + header.getValue().getBytes(UTF_8).length;
        }
        return bytes;
    }

    /** The name of a header that would not come back as it is. */
    @Nullable
    String brokenHeader() {
        CharsetEncoder encoder = UTF_8.newEncoder();
        return headers.entrySet().stream()
                .filter(header -> !encoder.canEncode(header.getKey()) || !encoder.canEncode(header.getValue()))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }
}
