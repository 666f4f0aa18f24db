package io.delayqueue.template;

import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Due;
import io.delayqueue.message.SendResult.Refused;
import io.delayqueue.store.OutgoingMessage;
import java.time.InstantSource;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks messages against the limits, names and serialises them. Thread-safe. */
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

    /** What came out: exactly one of the two. */
    record Prepared(
            @Nullable PendingMessage message, @Nullable Refused refused) {}

    Prepared prepare(DelayMessage message) {
        String given = message.id();
        String id = given == null ? ids.next() : given;
        String objection = objectionToDue(message.due());
        if (objection == null) {
            objection = objectionToNonce(message.nonce());
        }
        if (objection != null) {
            return refused(message, id, objection, null);
        }
        byte[] payload;
        try {
            payload = codec.write(message.payload());
        } catch (PayloadConversionException e) {
            return refused(message, id, String.valueOf(e.getMessage()), e);
        }
        if (payload.length > limits.maxPayloadBytes()) {
            return refused(message, id, tooLarge("payload", payload.length, limits.maxPayloadBytes(), "payload"), null);
        }
        PendingMessage pending = new PendingMessage(message, id, nonce(message), payload);
        String headers = objectionToHeaders(pending);
        return headers == null ? new Prepared(pending, null) : refused(message, id, headers, null);
    }

    private String nonce(DelayMessage message) {
        if (message.nonce() != null) {
            return message.nonce();
        }
        return message.id() == null ? OutgoingMessage.GENERATED_ID : ids.nonce();
    }

    private static Prepared refused(DelayMessage message, String id, String reason, @Nullable Throwable cause) {
        return new Prepared(null, new Refused(message.topic(), id, reason, cause));
    }

    /** What is wrong with the headers, to be asked anew once interceptors have added theirs. */
    @Nullable
    String objectionToHeaders(PendingMessage message) {
        int bytes = message.headerBytes();
        if (bytes > limits.maxHeaderBytes()) {
            return tooLarge("headers", bytes, limits.maxHeaderBytes(), "headers");
        }
        String broken = message.brokenHeader();
        return broken == null ? null : "its header " + broken + " holds half a surrogate pair, which UTF-8 can't hold";
    }

    /** What is wrong with a due time. */
    @Nullable
    String objectionToDue(Due due) {
        return limits.objectionTo(due, clock);
    }

    private static @Nullable String objectionToNonce(@Nullable String nonce) {
        return nonce == null || NONCE.matcher(nonce).matches()
                ? null
                : "a nonce is 1 to 64 letters and digits, but is " + nonce;
    }

    private static String tooLarge(String what, int bytes, int limit, String property) {
        return "its " + what + " has " + bytes + " bytes, but delayqueue.limits.max-" + property + "-size is " + limit
                + " bytes";
    }
}
