package io.delayqueue.template;

import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Due;
import io.delayqueue.message.Printable;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.SendResult.Rejected;
import io.delayqueue.store.OutgoingMessage;
import java.time.InstantSource;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks messages against the limits, generates ids and serialises payloads. Thread-safe. */
final class MessagePreparer {

    private static final Pattern NONCE = Pattern.compile("-|[A-Za-z0-9]{1,64}");

    private final PayloadCodec codec;
    private final SendLimits limits;
    private final InstantSource clock;
    private final MessageIds ids;

    MessagePreparer(PayloadCodec codec, SendLimits limits, InstantSource clock, MessageIds ids) {
        this.codec = codec;
        this.limits = limits;
        this.clock = clock;
        this.ids = ids;
    }

    /** The prepared message or the failure; exactly one is set. */
    record Prepared(
            @Nullable PendingMessage message, @Nullable Failed failed) {}

    Prepared prepare(DelayMessage message) {
        String given = message.id();
        String id = given == null ? ids.next() : given;
        String nonce = objectionToNonce(message.nonce());
        if (nonce != null) {
            // no earlier send can have used an invalid nonce
            return new Prepared(null, new Rejected(message.topic(), id, Reason.INVALID, nonce, null));
        }
        String due = objectionToDue(message.due());
        if (due != null) {
            return notStored(message, id, Reason.INVALID, due, null);
        }
        byte[] payload;
        try {
            payload = codec.write(message.payload());
        } catch (PayloadConversionException e) {
            return notStored(message, id, Reason.FAILED, String.valueOf(e.getMessage()), e);
        }
        if (payload.length > limits.maxPayloadBytes()) {
            return notStored(
                    message,
                    id,
                    Reason.INVALID,
                    tooLarge("payload", payload.length, limits.maxPayloadBytes(), "payload"),
                    null);
        }
        PendingMessage pending = new PendingMessage(message, id, nonce(message), payload);
        String headers = objectionToHeaders(pending);
        return headers == null ? new Prepared(pending, null) : notStored(message, id, Reason.INVALID, headers, null);
    }

    private String nonce(DelayMessage message) {
        if (message.nonce() != null) {
            return message.nonce();
        }
        return message.id() == null ? OutgoingMessage.GENERATED_ID : ids.nonce();
    }

    private static Prepared notStored(
            DelayMessage message, String id, Reason reason, String detail, @Nullable Throwable cause) {
        return new Prepared(
                null,
                message.isRepeat()
                        ? SendFailures.stillUnknown(message, reason, detail, cause)
                        : new Rejected(message.topic(), id, reason, detail, cause));
    }

    /** Returns the error in the headers, or null. Called again after interceptors have added headers. */
    @Nullable
    String objectionToHeaders(PendingMessage message) {
        int bytes = message.headerBytes();
        if (bytes > limits.maxHeaderBytes()) {
            return tooLarge("headers", bytes, limits.maxHeaderBytes(), "headers");
        }
        String broken = message.brokenHeader();
        return broken == null
                ? null
                : "its header " + Printable.of(broken) + " contains half a surrogate pair, which UTF-8 cannot encode";
    }

    /** Returns the error in a due time, or null. */
    @Nullable
    String objectionToDue(Due due) {
        return limits.objectionTo(due, clock);
    }

    private static @Nullable String objectionToNonce(@Nullable String nonce) {
        return nonce == null || NONCE.matcher(nonce).matches()
                ? null
                : "its nonce must be 1 to 64 letters and digits, but was " + Printable.of(nonce);
    }

    private static String tooLarge(String what, int bytes, int limit, String property) {
        return "its " + what + " has " + bytes + " bytes, but delayqueue.limits.max-" + property + "-size is " + limit
                + " bytes";
    }
}
