package io.delayqueue.template;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.Printable;
import io.delayqueue.message.SendHistory;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.SendResult.Rejected;
import io.delayqueue.message.SendResult.Unknown;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Utf8;
import io.delayqueue.store.EnvelopeFormat;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.OutgoingMessage.Memory;
import io.delayqueue.store.UnreadableMessageException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

/**
 * A message that is being sent: checked and serialised, passed through the interceptors, encoded, and stored by a
 * {@link SendBatcher}. One thread at a time uses it. Only the record of whether it is stored is thread-safe.
 */
final class PendingMessage implements SendInterceptor.Sending {

    /** Upper bound in bytes of a stored message's header line and the protocol's length fields. */
    private static final int OVERHEAD = 200;

    private final DelayMessage message;
    private final String id;
    private final String nonce;
    private final Durability durability;
    /** Those of the message, until an interceptor adds one. */
    private Map<String, String> headers;

    private Due due;
    private MessageLimits messageLimits;
    private @Nullable Memory memory;
    /** Whether an outbox stores the message, so that another process may send it, too. */
    private boolean inOutbox;

    private byte[] payload = {};
    private CompletableFuture<SendResult> result = new CompletableFuture<>();
    private @Nullable Failed failed;
    private @Nullable OutgoingMessage outgoing;
    private int bytes;
    /** Null until a send gets no reply, unless the message is a repeat of an earlier send. */
    private @Nullable SendHistory history;

    private boolean stored;

    /**
     * Creates it.
     *
     * @param durability the message's durability, or its topic's
     */
    PendingMessage(DelayMessage message, String id, String nonce, Durability durability) {
        this.message = message;
        this.id = id;
        this.nonce = nonce;
        this.durability = durability;
        this.headers = message.headers();
        this.history = message.history();
        this.due = message.due();
        this.messageLimits = message.limits();
        Duration remembered = message.remembered();
        this.memory = remembered == null ? null : new Memory(nonce, remembered);
    }

    /**
     * Reads a message of an outbox.
     *
     * @return the message to send, or one whose {@link #failed() failure} says why it cannot be sent
     */
    static PendingMessage of(OutboxMessage stored, SendLimits limits) {
        DelayMessage.Builder message =
                DelayMessage.to(stored.topic()).id(stored.id()).onDuplicate(stored.onDuplicate());
        Envelope envelope;
        try {
            envelope = EnvelopeFormat.read(stored.envelope());
        } catch (UnreadableMessageException e) {
            DelayMessage unreadable = message.payload(stored.envelope()).build();
            PendingMessage pending =
                    new PendingMessage(unreadable, stored.id(), OutgoingMessage.GENERATED_ID, stored.durability());
            return pending.failed(pending.notStored(Reason.INVALID, "the outbox cannot read it: " + e.getMessage(), e));
        }
        PendingMessage pending = new PendingMessage(
                message.payload(envelope.payload())
                        .headers(envelope.headers())
                        .repeatOf(envelope.nonce())
                        .build(),
                stored.id(),
                envelope.nonce(),
                stored.durability());
        pending.due = stored.due();
        pending.messageLimits = envelope.limits();
        pending.memory = stored.memory();
        pending.serialised(envelope.payload());
        String objection = pending.objection(limits);
        return objection == null ? pending : pending.failed(pending.notStored(Reason.INVALID, objection, null));
    }

    /**
     * Returns the message for an outbox. From now on each send of the message is recognised as the same one.
     *
     * @param ownNonce used by no other message, unless the message's id is generated or the message has a memory
     * @param time time for which Redis remembers the send
     */
    OutboxMessage toOutbox(String ownNonce, Duration time) {
        Memory given = memory;
        memory = given == null
                ? new Memory(hasNewId() ? id : ownNonce, time)
                : new Memory(given.nonce(), given.time().compareTo(time) < 0 ? time : given.time());
        inOutbox = true;
        encode();
        return new OutboxMessage(
                topic(),
                id,
                due,
                message.onDuplicate(),
                durability,
                memory,
                outgoing().envelope());
    }

    void serialised(byte[] bytesOfPayload) {
        payload = bytesOfPayload;
    }

    /** Marks the message as one that cannot be sent. */
    PendingMessage failed(Failed failure) {
        failed = failure;
        return this;
    }

    /** The result of a message that cannot be sent; else null. */
    @Nullable
    Failed failed() {
        return failed;
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
        if (headers == message.headers()) {
            headers = new LinkedHashMap<>(headers);
        }
        headers.put(name, value);
    }

    /**
     * Passes the message through interceptors.
     *
     * @param limits limits of the headers, because interceptors may add headers
     * @param last the end of the chain; its future always completes normally
     * @return always completes normally, after all interceptors
     */
    CompletableFuture<SendResult> pass(
            List<SendInterceptor> interceptors,
            SendLimits limits,
            Function<PendingMessage, CompletableFuture<SendResult>> last) {
        return interceptors.isEmpty() ? last.apply(this) : new InterceptedSend(interceptors, limits, this, last).send();
    }

    /** Returns the message with id and nonce, so that Redis recognises a further send as a repeat. */
    DelayMessage repeatable() {
        return message.toBuilder().id(id).repeatOf(nonce, history()).build();
    }

    /** When the message becomes due. */
    Due due() {
        return due;
    }

    /** Whether the id was generated for this send, so that no other message has it. */
    boolean hasNewId() {
        return message.id() == null;
    }

    boolean rejectsDuplicate() {
        return message.onDuplicate() == OnDuplicate.REJECT;
    }

    /** The route of the message if it belongs to a shard. */
    SendBatcher.Route route(Shard shard) {
        return new SendBatcher.Route(shard, durability);
    }

    /** Begins another send of the message, which has its own result. */
    void begin() {
        result = new CompletableFuture<>();
    }

    /** The result of the send; never fails. */
    CompletableFuture<SendResult> result() {
        return result;
    }

    /**
     * Encodes the message with its current headers.
     *
     * @throws RuntimeException if the message cannot be encoded
     */
    void encode() {
        OutgoingMessage encoded =
                OutgoingMessage.of(id, due, message.onDuplicate(), nonce, messageLimits, headers, payload);
        outgoing = memory == null ? encoded : encoded.remembered(memory);
        bytes = OVERHEAD + payload.length + 3 * id.length() + headerBytes();
    }

    /** The encoded message. */
    OutgoingMessage outgoing() {
        return Objects.requireNonNull(outgoing);
    }

    /** Approximate size of the encoded message in a request, in bytes. */
    int bytes() {
        return bytes;
    }

    private synchronized SendHistory history() {
        if (history == null) {
            history = SendHistory.none();
            if (stored) {
                history.stored(false);
            }
        }
        return history;
    }

    /** Returns the result of a send that may have stored the message. A failed repeat is then unknown, too. */
    Unknown unknown(Reason reason, String detail, Throwable cause) {
        history().noReply();
        return new Unknown(repeatable(), reason, detail, cause);
    }

    /**
     * Records that the message is stored.
     *
     * @param repeated whether an earlier send stored it
     * @return whether this send counts as sent; a message counts once
     */
    synchronized boolean stored(boolean repeated) {
        stored = true;
        if (history != null) {
            return history.stored(repeated);
        }
        // only the sender of an outbox, or of a nonce that the application chose, can have sent it before
        return !(repeated && (inOutbox || message.nonce() != null));
    }

    /** Returns the result of a send that did not store the message; unknown if an earlier send may have stored it. */
    Failed notStored(Reason reason, String detail, @Nullable Throwable cause) {
        return mayBeStored()
                ? new Unknown(
                        repeatable(),
                        reason,
                        "an earlier send may have stored the message; this repeat failed: " + detail,
                        cause)
                : new Rejected(topic(), id, reason, detail, cause);
    }

    private synchronized boolean mayBeStored() {
        return history != null && history.mayBeStored();
    }

    /** Corrects the result of an interceptor: a rejected repeat is unknown if an earlier send may have stored it. */
    SendResult corrected(SendResult result) {
        return result instanceof Rejected rejected
                ? notStored(rejected.reason(), rejected.detail(), rejected.cause())
                : result;
    }

    /** Size of the headers in bytes, or -1 if one of them cannot be encoded. */
    private int headerBytes() {
        int size = 0;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            int name = Utf8.length(header.getKey());
            int value = Utf8.length(header.getValue());
            if (name < 0 || value < 0) {
                return -1;
            }
            size += name + value;
        }
        return size;
    }

    /** Returns the error in the payload or a header, or null. Called again after interceptors have added headers. */
    @Nullable
    String objection(SendLimits limits) {
        if (payload.length > limits.maxPayloadBytes()) {
            return tooLarge("payload", payload.length, limits.maxPayloadBytes());
        }
        int size = headerBytes();
        if (size < 0) {
            return "its header " + Printable.of(unencodableHeader())
                    + " contains half a surrogate pair, which UTF-8 cannot encode";
        }
        return size > limits.maxHeaderBytes() ? tooLarge("headers", size, limits.maxHeaderBytes()) : null;
    }

    private String unencodableHeader() {
        return headers.entrySet().stream()
                .filter(header -> Utf8.length(header.getKey()) < 0 || Utf8.length(header.getValue()) < 0)
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    private static String tooLarge(String part, int bytes, int limit) {
        return "its " + part + (part.endsWith("s") ? " have " : " has ") + bytes + " bytes, but delayqueue.limits.max-"
                + part + "-size is " + limit + " bytes";
    }
}
