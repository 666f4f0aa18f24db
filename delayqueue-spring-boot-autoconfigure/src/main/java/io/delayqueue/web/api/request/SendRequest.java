package io.delayqueue.web.api.request;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.web.api.json.Fields;
import io.delayqueue.web.api.json.InvalidBodyException;
import io.delayqueue.web.api.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A message to be sent, with its payload in one of three forms.
 *
 * @param id 1 to 256 bytes of UTF-8; generated if it isn't given
 * @param delay after what time it is due
 * @param dueAt when it is due, instead of a delay; a date that has passed means now, and so does neither of the two
 * @param payload any JSON value but null
 * @param payloadText instead of it: a text, which is stored as it is
 * @param payloadBase64 instead of it: bytes in Base64, which are stored as they are
 * @param headers names and values
 * @param maxAttempts how often it may be delivered, whatever the listener says; 1 or more
 * @param lease for how long a delivery is leased, whatever the listener or receiver says; 1 s to 1 d
 * @param expireAfter how late it is still worth handling
 * @param expireAt until when it is worth handling
 * @param onDuplicate what is to happen if the id is live: refuse, keep or replace; refuse if it isn't given
 */
@SuppressWarnings("ArrayRecordComponent") // handed straight to the template
public record SendRequest(
        @Nullable String id,
        @Nullable Duration delay,
        @Nullable Instant dueAt,
        @Nullable JsonText payload,
        @Nullable String payloadText,
        byte @Nullable [] payloadBase64,
        Map<String, String> headers,
        @Nullable Integer maxAttempts,
        @Nullable Duration lease,
        @Nullable Duration expireAfter,
        @Nullable Instant expireAt,
        @Nullable OnDuplicate onDuplicate)
        implements ApiRequest {

    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);
    private static final Duration LONGEST_LEASE = Duration.ofDays(1);

    static SendRequest read(Fields fields) {
        SendRequest request = new SendRequest(
                fields.text("id"),
                fields.duration("delay", Duration.ZERO, LONGEST),
                fields.date("dueAt"),
                fields.json("payload"),
                fields.text("payloadText"),
                fields.base64("payloadBase64"),
                fields.texts("headers"),
                fields.number("maxAttempts", 1, Integer.MAX_VALUE),
                fields.duration("lease", SHORTEST_LEASE, LONGEST_LEASE),
                fields.duration("expireAfter", Duration.ZERO, LONGEST),
                fields.date("expireAt"),
                fields.word("onDuplicate", OnDuplicate.class));
        fields.end();
        request.check(fields);
        return request;
    }

    private void check(Fields fields) {
        if (delay != null && dueAt != null) {
            throw fields.objection("dueAt", "stands beside 'delay': give one of the two.");
        }
        long payloads = Stream.of(payload, payloadText, payloadBase64)
                .filter(Objects::nonNull)
                .count();
        if (payloads != 1) {
            throw objectionToPayload(fields, payloads);
        }
        try {
            DelayMessage ignored = toMessage("any").build();
        } catch (IllegalArgumentException e) {
            throw fields.objection(e.getMessage() + ".");
        }
    }

    private static InvalidBodyException objectionToPayload(Fields fields, long given) {
        if (given > 1) {
            return fields.objection(
                    "payload", "stands beside 'payloadText' or 'payloadBase64': give one of the three.");
        }
        return fields.objection(
                "payload",
                fields.has("payload")
                        ? "is null, which no listener takes: give another JSON value."
                        : "is missing: any JSON value, or a text in 'payloadText', or bytes in 'payloadBase64'.");
    }

    /** The payload as it is stored. */
    public byte[] body() {
        if (payload != null) {
            return payload.text().getBytes(StandardCharsets.UTF_8);
        }
        return payloadText == null
                ? Objects.requireNonNull(payloadBase64)
                : payloadText.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Begins the message.
     *
     * @throws IllegalArgumentException if it can't be sent to any topic, or the topic can't be one
     */
    public DelayMessage.Builder toMessage(String topic) {
        DelayMessage.Builder message = DelayMessage.to(topic).payload(body()).headers(headers);
        if (id != null) {
            message.id(id);
        }
        if (delay != null) {
            message.delay(delay);
        }
        if (dueAt != null) {
            message.dueAt(dueAt);
        }
        if (maxAttempts != null) {
            message.maxAttempts(maxAttempts);
        }
        if (lease != null) {
            message.lease(lease);
        }
        if (expireAfter != null) {
            message.expireAfter(expireAfter);
        }
        if (expireAt != null) {
            message.expireAt(expireAt);
        }
        return onDuplicate == null ? message : message.onDuplicate(onDuplicate);
    }
}
