package io.delayqueue.web.api.response;

import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.web.api.json.JsonText;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A leased message, with its payload in one of three forms.
 *
 * @param topic topic of the message
 * @param id id of the message
 * @param attempt number of this delivery, from 1
 * @param postponements how often the message was postponed
 * @param crashes number of leases that ended without a settlement since the last settlement
 * @param dueAt due time, by Redis' clock
 * @param sentAt time of the send, by Redis' clock
 * @param headers names and values
 * @param payload stored payload, if it is JSON
 * @param payloadText stored payload, if it is UTF-8 text but not JSON
 * @param payloadBase64 stored payload in Base64, if it is not UTF-8 text
 * @param lastFailure cause of the last failed attempt; omitted if there was none
 * @param lease lease by which the delivery is settled
 */
public record DeliveryResponse(
        String topic,
        String id,
        int attempt,
        int postponements,
        int crashes,
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
     * @param token part of the path of all settlements of this delivery
     * @param end end of the lease, by Redis' clock
     * @param path prefix of the paths acknowledge, retry, postpone, dead-letter, extend and release
     */
    public record Lease(String token, Instant end, String path) {}

    /**
     * Creates the response of a delivery.
     *
     * @param path path of its lease
     */
    public static DeliveryResponse of(LeasedDelivery delivery, String path) {
        Payload payload = Payload.of(delivery.body());
        return new DeliveryResponse(
                delivery.topic(),
                delivery.id(),
                delivery.attempt(),
                delivery.postponements(),
                delivery.crashes(),
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
