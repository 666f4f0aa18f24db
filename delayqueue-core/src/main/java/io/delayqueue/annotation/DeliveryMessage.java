package io.delayqueue.annotation;

import io.delayqueue.listener.DelayHeaders;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DeadLetter;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;

/** A delivery, or the dead letter of a notification, as a {@code spring-messaging} message. */
final class DeliveryMessage implements Message<Object> {

    private final Object payload;
    private final Delivery delivery;
    private final @Nullable DeadLetter deadLetter;
    private volatile @Nullable Headers headers;

    private DeliveryMessage(Object payload, Delivery delivery, @Nullable DeadLetter deadLetter) {
        this.payload = payload;
        this.delivery = delivery;
        this.deadLetter = deadLetter;
    }

    static DeliveryMessage of(Delivery delivery) {
        return new DeliveryMessage(delivery.payload(), delivery, null);
    }

    static DeliveryMessage of(DeadLetter deadLetter, Object payload, Delivery notification) {
        return new DeliveryMessage(payload, notification, deadLetter);
    }

    @Override
    public Object getPayload() {
        return payload;
    }

    /** Created on demand, because most methods do not use headers. */
    @Override
    public MessageHeaders getHeaders() {
        Headers created = headers;
        if (created == null) {
            created = deadLetter == null ? headersOf(delivery) : headersOf(deadLetter);
            headers = created;
        }
        return created;
    }

    private static Headers headersOf(Delivery delivery) {
        return new Headers(
                delivery.headers(),
                delivery.key(),
                delivery.slot(),
                Map.of(
                        DelayHeaders.TOPIC, delivery.topic(),
                        DelayHeaders.ID, delivery.id(),
                        DelayHeaders.ATTEMPT, delivery.attempt(),
                        DelayHeaders.DUE, delivery.dueAt(),
                        DelayHeaders.SENT, delivery.sentAt()));
    }

    private static Headers headersOf(DeadLetter deadLetter) {
        return new Headers(
                deadLetter.envelope().headers(),
                deadLetter.envelope().key(),
                deadLetter.envelope().slot(),
                Map.of(
                        DelayHeaders.TOPIC, deadLetter.topic(),
                        DelayHeaders.ID, deadLetter.messageId(),
                        DelayHeaders.ATTEMPT, deadLetter.attempts(),
                        DelayHeaders.DUE, deadLetter.envelope().dueAt(),
                        DelayHeaders.SENT, deadLetter.envelope().sentAt()));
    }

    @Override
    public String toString() {
        return "DeliveryMessage " + getHeaders();
    }

    Delivery delivery() {
        return delivery;
    }

    @Nullable
    DeadLetter deadLetter() {
        return deadLetter;
    }

    /** Headers without an id and timestamp of Spring, so that headers of these names have the sender's values. */
    private static final class Headers extends MessageHeaders {

        private static final long serialVersionUID = 1L;

        Headers(Map<String, String> sent, @Nullable String key, @Nullable Instant slot, Map<String, Object> standard) {
            super(Map.of(), ID_VALUE_NONE, -1L);
            Map<String, Object> all = new HashMap<>(sent);
            all.putAll(standard);
            set(all, DelayHeaders.KEY, key);
            set(all, DelayHeaders.SLOT, slot);
            getRawHeaders().putAll(all);
        }

        private static void set(Map<String, Object> headers, String name, @Nullable Object value) {
            if (value == null) {
                headers.remove(name);
            } else {
                headers.put(name, value);
            }
        }

        @Override
        public @Nullable UUID getId() {
            return null;
        }

        @Override
        public @Nullable Long getTimestamp() {
            Object sent = get(DelayHeaders.SENT);
            return sent instanceof Instant instant ? instant.toEpochMilli() : null;
        }
    }
}
