package io.delayqueue.web.api.response;

import io.delayqueue.management.Payload;
import io.delayqueue.management.Shown;
import io.delayqueue.template.receive.LeasedDelivery;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A leased message, with its payload in one of three forms.
 *
 * @param topic topic of the message
 * @param id id of the message
 * @param key key of the message; omitted if it has none
 * @param slot of an occurrence of a schedule, when it was due unless it was rescheduled; omitted for any other message
 * @param attempt number of this delivery, from 1
 * @param postponements how often the message was postponed
 * @param crashes number of leases that ended without a settlement since the last settlement
 * @param dueAt due time, by Redis' clock
 * @param sentAt time of the send, by Redis' clock
 * @param headers names and values
 * @param payload stored payload
 * @param lastFailure cause of the last failed attempt; omitted if there was none
 * @param receipt settles this delivery, in a path or a body
 * @param leaseEnd end of the lease, by Redis' clock
 */
public record DeliveryResponse(
        String topic,
        String id,
        @Nullable String key,
        @Nullable Instant slot,
        int attempt,
        int postponements,
        int crashes,
        Instant dueAt,
        Instant sentAt,
        Map<String, String> headers,
        Payload payload,
        @Nullable String lastFailure,
        String receipt,
        Instant leaseEnd) {

    /** Creates the response of a delivery. */
    public static DeliveryResponse of(LeasedDelivery delivery) {
        return new DeliveryResponse(
                delivery.topic(),
                delivery.id(),
                delivery.key(),
                delivery.slot(),
                delivery.attempt(),
                delivery.postponements(),
                delivery.crashes(),
                delivery.dueAt(),
                delivery.sentAt(),
                delivery.headers(),
                Payload.of(delivery.body(), Shown.ALL),
                delivery.lastFailure(),
                delivery.receipt(),
                delivery.leaseEnd());
    }
}
