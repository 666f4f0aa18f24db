package io.delayqueue.template;

import io.delayqueue.event.FailureLog;
import io.delayqueue.message.Completions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.Failure;
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
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

/**
 * A message that is being sent. It is prepared by {@link DelayQueueTemplate}, passes through the interceptors, is encoded
 * for the store, and ends with a result, which a {@link SendBatcher} sets. A message that cannot be sent ends at once.
 *
 * <p>One thread at a time uses it, but interceptors may proceed on any thread, and the record of whether it is stored is
 * thread-safe.
 */
final class PendingMessage implements SendInterceptor.Sending, CommitOperation {

    private static final Log log = LogFactory.getLog(PendingMessage.class);

    /** Why a message is rejected whose interceptor calls {@code proceed()} too late. */
    private static final String PROCEEDED_LATE =
            "an interceptor proceeded after its method had returned and the batch was sent;"
                    + " call proceed() before the method returns";

    /** Upper bound in bytes of a message's arguments other than its id and its stored bytes, and their length fields. */
    private static final int OVERHEAD = 200;

    private static final byte[] NONE = {};

    private final DelayMessage message;
    private final String id;
    private final String nonce;
    private final Durability durability;
    /** Those of the message, until an interceptor adds one. */
    private Map<String, String> headers;

    /** Until the message is encoded. */
    private byte[] payload = NONE;

    private @Nullable OutgoingMessage encoded;
    private CompletableFuture<SendResult> result = new CompletableFuture<>();

    /** What {@code proceed()} returns; null until an interceptor calls it. */
    private volatile @Nullable CompletableFuture<SendResult> passed;

    private boolean closed;
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
        this.history = SendHistory.of(message);
    }

    /** Reads a message of an outbox. If it cannot be sent, it has its result. */
    static PendingMessage of(OutboxMessage stored, SendLimits limits) {
        DelayMessage.Builder message =
                DelayMessage.to(stored.topic()).id(stored.id()).onDuplicate(stored.onDuplicate());
        try {
            Envelope envelope = EnvelopeFormat.read(stored.envelope());
            PendingMessage pending = new PendingMessage(
                    message.payload(envelope.payload())
                            .headers(envelope.headers())
                            .repeatOf(envelope.nonce())
                            .build(),
                    stored.id(),
                    envelope.nonce(),
                    stored.durability());
            pending.payload = envelope.payload();
            String objection = pending.objection(limits);
            if (objection != null) {
                return pending.end(pending.notStored(Reason.INVALID, objection, null));
            }
            pending.encode(stored.due(), envelope.limits(), envelope.key(), stored.memory());
            return pending;
        } catch (UnreadableMessageException e) {
            DelayMessage unreadable = message.payload(stored.envelope()).build();
            PendingMessage pending =
                    new PendingMessage(unreadable, stored.id(), OutgoingMessage.GENERATED_ID, stored.durability());
            return pending.end(pending.notStored(Reason.INVALID, "the outbox cannot read it: " + e.getMessage(), e));
        }
    }

    /**
     * Returns the message for an outbox. From now on each send of the message is recognised as the same one.
     *
     * @param ownNonce used by no other message, unless the message's id is generated or the message has a memory
     * @param time time for which Redis remembers the send
     */
    OutboxMessage toOutbox(String ownNonce, Duration time) {
        Duration remembered = message.remembered();
        Memory memory = remembered == null
                ? new Memory(hasNewId() ? id : ownNonce, time)
                : new Memory(nonce, remembered.compareTo(time) < 0 ? time : remembered);
        encode(due(), message.limits(), message.key(), memory);
        return new OutboxMessage(
                OutboxMessage.Kind.SEND,
                topic(),
                id,
                due(),
                message.onDuplicate(),
                durability,
                memory,
                encoded().envelope());
    }

    /** Sets the serialised payload. */
    PendingMessage serialised(byte[] bytes) {
        payload = bytes;
        return this;
    }

    /** Ends the message with its result. */
    PendingMessage end(SendResult with) {
        result.complete(with);
        return this;
    }

    /** Whether the message has its result. */
    boolean isEnded() {
        return result.isDone();
    }

    @Override
    public CompletableFuture<SendResult> result() {
        return result;
    }

    @Override
    public void repeat() {
        result = new CompletableFuture<>();
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

    /** Identifies repeats of the send. */
    String nonce() {
        return nonce;
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
     * @param last the end of the chain, called at most once; its future always completes normally
     * @return always completes normally, after all interceptors
     */
    CompletableFuture<SendResult> pass(
            List<SendInterceptor> interceptors,
            SendLimits limits,
            Function<PendingMessage, CompletableFuture<SendResult>> last) {
        if (interceptors.isEmpty()) {
            return last.apply(this);
        }
        CompletionStage<SendResult> stage;
        try {
            stage = next(interceptors, 0, limits, last).proceed();
        } catch (Throwable e) { // user code may throw anything, checked exceptions included
            return resultDespite(e);
        }
        return stage.handle((intercepted, failure) -> failure == null && intercepted != null
                        ? CompletableFuture.completedFuture(corrected(intercepted))
                        : resultDespite(failure))
                .thenCompose(Function.identity())
                .toCompletableFuture();
    }

    private SendInterceptor.Next next(
            List<SendInterceptor> interceptors,
            int index,
            SendLimits limits,
            Function<PendingMessage, CompletableFuture<SendResult>> last) {
        return index < interceptors.size()
                ? () -> interceptors.get(index).around(this, next(interceptors, index + 1, limits, last))
                : () -> passOnce(limits, last);
    }

    private CompletionStage<SendResult> passOnce(
            SendLimits limits, Function<PendingMessage, CompletableFuture<SendResult>> last) {
        CompletableFuture<SendResult> before = passed;
        if (before != null) {
            return before;
        }
        String objection = objection(limits);
        CompletableFuture<SendResult> sent = objection == null
                ? last.apply(this)
                : CompletableFuture.completedFuture(notStored(Reason.INVALID, objection, null));
        passed = sent;
        return sent;
    }

    /** The result after an interceptor failed: the result of the send, if it was sent. */
    private CompletableFuture<SendResult> resultDespite(@Nullable Throwable failure) {
        CompletableFuture<SendResult> sent = passed;
        if (sent == null) {
            Throwable cause = failure == null ? null : Completions.cause(failure);
            String why = cause == null ? "null" : Failure.of(cause).summary();
            return CompletableFuture.completedFuture(notStored(Reason.FAILED, "an interceptor failed: " + why, cause));
        }
        String what = "An interceptor failed while it sent message " + Printable.of(id) + " to topic "
                + Printable.of(topic()) + ". The result of the send is not affected";
        if (failure == null) {
            log.warn(what);
        } else {
            FailureLog.log(log::warn, what, failure);
        }
        return sent;
    }

    /** An end of the chain that sends the message later. Interceptors get the result from {@link #release}. */
    synchronized CompletableFuture<SendResult> hold() {
        CompletableFuture<SendResult> held =
                closed ? CompletableFuture.completedFuture(proceededLate()) : new CompletableFuture<>();
        passed = held;
        return held;
    }

    /** Ends the time in which the message may be held. Returns whether it is held, and so to be sent. */
    synchronized boolean endHolding() {
        closed = true;
        CompletableFuture<SendResult> held = passed;
        return held != null && !held.isDone();
    }

    @Override
    public void release(SendResult of) {
        CompletableFuture<SendResult> held = passed;
        if (held != null) {
            held.complete(of);
        }
    }

    /** The result of a message that was not held in time. */
    Failed proceededLate() {
        return notStored(Reason.FAILED, PROCEEDED_LATE, null);
    }

    /** Returns the message with id and nonce, so that Redis recognises a further send as a repeat. */
    DelayMessage repeatable() {
        return history().repeatOf(message, id, nonce);
    }

    /** When the message becomes due. */
    Due due() {
        return message.due();
    }

    @Override
    public boolean hasNewId() {
        return message.id() == null;
    }

    boolean rejectsDuplicate() {
        return message.onDuplicate() == OnDuplicate.REJECT;
    }

    /** The route of the message if it belongs to a shard. */
    SendBatcher.Route route(Shard shard) {
        return new SendBatcher.Route(shard, durability);
    }

    /**
     * Encodes the message with its current headers, unless it is encoded.
     *
     * @throws RuntimeException if the message cannot be encoded
     */
    void encode() {
        if (encoded == null) {
            Duration remembered = message.remembered();
            encode(due(), message.limits(), message.key(), remembered == null ? null : new Memory(nonce, remembered));
        }
    }

    private void encode(Due due, MessageLimits limits, @Nullable String key, @Nullable Memory memory) {
        OutgoingMessage plain =
                OutgoingMessage.of(id, due, message.onDuplicate(), nonce, limits, key, headers, payload);
        encoded = memory == null ? plain : plain.remembered(memory);
        payload = NONE;
    }

    /** The encoded message. */
    OutgoingMessage encoded() {
        return Objects.requireNonNull(encoded);
    }

    /** Approximate size of the encoded message in a request, in bytes. */
    int bytes() {
        return OVERHEAD + encoded().rest().length + 3 * id.length();
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
        return !(repeated && (encoded().memory() != null || message.nonce() != null));
    }

    /** Returns the result of a send that did not store the message; unknown if an earlier send may have stored it. */
    @Override
    public Failed notStored(Reason reason, String detail, @Nullable Throwable cause) {
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

    /** Returns the error in the payload or a header, or null. Called again after interceptors have added headers. */
    @Nullable
    String objection(SendLimits limits) {
        String tooLarge = limits.tooLarge(payload.length, headers);
        if (tooLarge != null || headers.isEmpty()) {
            return tooLarge;
        }
        for (Map.Entry<String, String> header : headers.entrySet()) {
            if (Utf8.length(header.getKey()) < 0 || Utf8.length(header.getValue()) < 0) {
                return "its header " + Printable.of(header.getKey())
                        + " contains half a surrogate pair, which UTF-8 cannot encode";
            }
        }
        return null;
    }
}
