package io.delayqueue.web.api.request;

import io.delayqueue.management.JsonText;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.web.api.json.InvalidRequestException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends a message, with its payload in one of three forms. Each form has at most delayqueue.limits.max-payload-size
 * bytes when stored.
 *
 * @param id 1 to 256 bytes of UTF-8; by default generated
 * @param key 1 to 256 bytes of UTF-8; required by an ordered topic, whose messages of one key are handled one at a time;
 *     optional in a fair topic, whose keys share the starts of deliveries equally; rejected by any other
 * @param delay time until the message is due, 0 to delayqueue.limits.max-delay; by default 0
 * @param dueAt date at which the message is due, instead of a delay, from 2000 on, at most delayqueue.limits.max-delay
 *     from now; a past date means immediately
 * @param debounce instead of a delay or date: makes the message due when it was not sent again for a time; requires id and
 *     excludes onDuplicate
 * @param payload any JSON value except null, stored as it is written
 * @param payloadText instead of payload: a text, stored in UTF-8
 * @param payloadBase64 instead of payload: bytes in Base64, stored decoded
 * @param headers names, which must not be blank, and values; together at most delayqueue.limits.max-headers-size bytes
 * @param maxAttempts maximum number of deliveries, overrides the listener's setting; 1 or more, written without a
 *     fraction or exponent
 * @param lease duration of the lease of each delivery, overrides the setting of the listener or receiver; 1 s to 1 d
 * @param expireAfter time after the due time until which the message is delivered, 0 to 1,000 years
 * @param expireAt date until which the message is delivered, between 2000 and 9999
 * @param onDuplicate behavior if a message with the id is live: reject, keep, replace, or after_running, which delivers the
 *     message after the one that is being handled; by default reject
 */
@SuppressWarnings("ArrayRecordComponent") // passed to the template without a copy
public record SendRequest(
        @Nullable String id,
        @Nullable String key,
        @Nullable Duration delay,
        @Nullable Instant dueAt,
        @Nullable DebounceRequest debounce,
        @Nullable JsonText payload,
        @Nullable String payloadText,
        byte @Nullable [] payloadBase64,
        Map<String, String> headers,
        @Nullable Integer maxAttempts,
        @Nullable Duration lease,
        @Nullable Duration expireAfter,
        @Nullable Instant expireAt,
        @Nullable OnDuplicate onDuplicate)
        implements MessageRequest {

    /** Checks the fields. */
    public SendRequest {
        headers = MessageRequest.copyOf(headers);
        payload = MessageRequest.checkPayload(payload, payloadText, payloadBase64);
        ApiRequest.checkDue(delay, dueAt);
        if (debounce != null && (delay != null || dueAt != null)) {
            throw InvalidRequestException.ofField(
                    "debounce", "must not be combined with 'delay' or 'dueAt'. Set one of the three.");
        }
        ApiRequest.checkRange("delay", delay, Duration.ZERO, MAX_DURATION);
        MessageRequest.checkLimits(maxAttempts, lease, expireAfter);
    }

    /**
     * Returns a builder with the fields of this request.
     *
     * @param body the payload as it is stored
     * @throws IllegalArgumentException if a field or the topic is invalid
     */
    public DelayMessage.Builder toMessage(String topic, byte[] body) {
        DelayMessage.Builder message = DelayMessage.to(topic).payload(body).headers(headers);
        if (id != null) {
            message.id(id);
        }
        if (key != null) {
            message.key(key);
        }
        if (delay != null) {
            message.delay(delay);
        }
        if (dueAt != null) {
            message.dueAt(dueAt);
        }
        if (debounce != null) {
            message.debounce(debounce.quiet(), debounce.atTheLatest());
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
