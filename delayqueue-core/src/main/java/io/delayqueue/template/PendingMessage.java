package io.delayqueue.template;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.SendHistory;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.SendResult.Rejected;
import io.delayqueue.message.SendResult.Unknown;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.OutgoingMessage.Memory;
import java.nio.charset.CharsetEncoder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

/** A checked and serialised message that passes through the interceptors. Not thread-safe. */
final class PendingMessage implements SendInterceptor.Sending {

    /** Upper bound in bytes of a stored message's header line and the protocol's length fields. */
    private static final int OVERHEAD = 200;

    private final DelayMessage message;
    private final String id;
    private final String nonce;
    private final byte[] payload;
    private final Map<String, String> headers;
    private final SendHistory history;

    PendingMessage(DelayMessage message, String id, String nonce, byte[] payload) {
        this.message = message;
        this.id = id;
        this.nonce = nonce;
        this.payload = payload;
        this.headers = new LinkedHashMap<>(message.headers());
        this.history = message.history() == null ? SendHistory.none() : message.history();
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
        Assert.notNull(name, "'name' must not be null");
        Assert.notNull(value, "'value' must not be null");
        if (name.isBlank()) {
            throw new IllegalArgumentException("A header's name must not be blank");
        }
        headers.put(name, value);
    }

    /** Returns the message with id and nonce, so that Redis recognises a further send as a repeat. */
    DelayMessage repeatable() {
        return message.toBuilder().id(id).repeatOf(nonce, history).build();
    }

    boolean rejectsDuplicate() {
        return message.onDuplicate() == OnDuplicate.REJECT;
    }

    /**
     * Returns the message as it is stored.
     *
     * @throws RuntimeException if the message cannot be encoded
     */
    OutgoingMessage outgoing() {
        OutgoingMessage outgoing =
                OutgoingMessage.of(id, message.due(), message.onDuplicate(), nonce, message.limits(), headers, payload);
        Duration remembered = message.remembered();
        return remembered == null ? outgoing : outgoing.remembered(new Memory(nonce, remembered));
    }

    /** Returns the result of a send that may have stored the message. From then on, failed repeats are unknown, too. */
    Unknown unknown(Reason reason, String detail, Throwable cause) {
        history.noReply();
        return new Unknown(repeatable(), reason, detail, cause);
    }

    /**
     * Records that the message is stored.
     *
     * @param repeated whether an earlier send stored it
     * @return whether this send counts as sent
     */
    boolean stored(boolean repeated) {
        return history.stored(repeated);
    }

    /** Returns the result of a send that did not store the message; unknown if an earlier send may have stored it. */
    Failed notStored(Reason reason, String detail, @Nullable Throwable cause) {
        return history.mayBeStored()
                ? SendFailures.stillUnknown(repeatable(), reason, detail, cause)
                : new Rejected(topic(), id, reason, detail, cause);
    }

    /** Corrects the result of an interceptor: a rejected repeat is unknown if an earlier send may have stored it. */
    SendResult confirmed(SendResult result) {
        return result instanceof Rejected rejected
                ? notStored(rejected.reason(), rejected.detail(), rejected.cause())
                : result;
    }

    /** Approximate size in a request, in bytes. */
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

    /** Returns the name of a header that UTF-8 cannot encode, or null. */
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
