package io.delayqueue.web.api.answer;

import io.delayqueue.template.pull.PulledDelivery;
import io.delayqueue.web.api.json.JsonText;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message under a lease, with its payload in one of three forms.
 *
 * @param topic where it was taken from
 * @param id its id
 * @param attempt which delivery of it this is, from 1
 * @param dueAt when it was due, by Redis' clock
 * @param sentAt when it was sent, by Redis' clock
 * @param headers names and values
 * @param payload what is stored, if that is JSON
 * @param payloadText what is stored, if that is other text
 * @param payloadBase64 what is stored, in Base64, if that is no text
 * @param lastFailure why the last attempt failed
 * @param lease by which to answer
 */
public record DeliveryAnswer(
        String topic,
        String id,
        int attempt,
        Instant dueAt,
        Instant sentAt,
        Map<String, String> headers,
        @Nullable JsonText payload,
        @Nullable String payloadText,
        @Nullable String payloadBase64,
        @Nullable String lastFailure,
        Lease lease) {

    /**
     * A lease.
     *
     * @param token stands in the path of all answers to this delivery
     * @param end until when it holds, by Redis' clock
     * @param path to which acknowledge, retry, bury, extend or release is added
     */
    public record Lease(String token, Instant end, String path) {}

    /**
     * As it was claimed.
     *
     * @param path of its lease
     */
    public static DeliveryAnswer of(PulledDelivery delivery, String path) {
        Payload payload = Payload.of(delivery.body());
        return new DeliveryAnswer(
                delivery.topic(),
                delivery.id(),
                delivery.attempt(),
                delivery.dueAt(),
                delivery.sentAt(),
                delivery.headers(),
                payload.json(),
                payload.text(),
                payload.base64(),
                delivery.lastFailure(),
                new Lease(delivery.receipt(), delivery.leaseEnd(), path));
    }
}
