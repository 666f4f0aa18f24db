package io.delayqueue.template;

import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Due;
import io.delayqueue.message.Printable;
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

    /** Returns the message to send, or one whose {@link PendingMessage#failed() failure} says why it cannot be sent. */
    PendingMessage prepare(DelayMessage message) {
        String id = message.id() == null ? ids.next() : message.id();
        PendingMessage pending = new PendingMessage(message, id, nonce(message));
        String nonce = objectionToNonce(message.nonce());
        if (nonce != null) {
            // no earlier send can have used an invalid nonce
            return pending.failed(new Rejected(message.topic(), id, Reason.INVALID, nonce, null));
        }
        String due = objectionToDue(message.due());
        if (due != null) {
            return pending.failed(pending.notStored(Reason.INVALID, due, null));
        }
        byte[] payload;
        try {
            payload = codec.write(message.payload());
        } catch (PayloadConversionException e) {
            return pending.failed(pending.notStored(Reason.FAILED, String.valueOf(e.getMessage()), e));
        }
        String objection = payload.length > limits.maxPayloadBytes()
                ? tooLarge("payload", payload.length, limits.maxPayloadBytes(), "payload")
                : objectionToHeaders(pending);
        return objection == null
                ? pending.withPayload(payload)
                : pending.failed(pending.notStored(Reason.INVALID, objection, null));
    }

    private String nonce(DelayMessage message) {
        if (message.nonce() != null) {
            return message.nonce();
        }
        return message.id() == null ? OutgoingMessage.GENERATED_ID : ids.nonce();
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
