package io.delayqueue.forward;

import io.delayqueue.listener.DelayHeaders;
import io.delayqueue.listener.Delivery;

/** What every broker gets of a delivery, before anybody changes it. */
final class StandardMapping {

    /** In a message's headers, the content type of its payload, in any case of letters. */
    static final String CONTENT_TYPE = "content-type";

    /** In a message's headers, what its broker is to order it by. */
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
