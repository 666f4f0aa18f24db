package io.delayqueue.forward;

import io.delayqueue.listener.DelayHeaders;
import io.delayqueue.listener.Delivery;

/** The standard mapping of deliveries to forwarded messages, before {@link ForwardMapper} beans are applied. */
final class StandardMapping {

    /** Header with the content type of the payload; case-insensitive. */
    static final String CONTENT_TYPE = "content-type";

    /** Header with the key by which the broker orders messages. */
    static final String KEYS = "keys";

    private StandardMapping() {}

    static ForwardedMessage map(Delivery delivery, Route route) {
        ForwardedMessage.Builder message = ForwardedMessage.of(delivery.id(), route.destination(), delivery.body())
                .routingKey(route.routingKey());
        delivery.headers().forEach((name, value) -> {
            if (name.equalsIgnoreCase(CONTENT_TYPE)) {
                message.contentType(value);
            } else {
                message.header(name, value);
            }
        });
        String keys = delivery.headers().get(KEYS);
        if (keys != null && !keys.isBlank()) {
            message.key(keys);
        }
        return message.header(DelayHeaders.ID, delivery.id())
                .header(DelayHeaders.TOPIC, delivery.topic())
                .header(DelayHeaders.ATTEMPT, String.valueOf(delivery.attempt()))
                .header(DelayHeaders.DUE, delivery.dueAt().toString())
                .header(DelayHeaders.SENT, delivery.sentAt().toString())
                .build();
    }
}
