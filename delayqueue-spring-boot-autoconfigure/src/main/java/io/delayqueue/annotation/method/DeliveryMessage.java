package io.delayqueue.annotation.method;

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

/** A delivery, and where there is one the letter it tells of, as {@code spring-messaging} sees it. */
final class DeliveryMessage implements Message<Object> {

    private final Object payload;
    private final Delivery delivery;
    private final @Nullable DeadLetter letter;
    private volatile @Nullable Headers headers;

    private DeliveryMessage(Object payload, Delivery delivery, @Nullable DeadLetter letter) {
        this.payload = payload;
        this.delivery = delivery;
        this.letter = letter;
    }

    static DeliveryMessage of(Delivery delivery) {
        return new DeliveryMessage(delivery.payload(), delivery, null);
    }

    static DeliveryMessage of(DeadLetter letter, Object payload, Delivery notice) {
        return new DeliveryMessage(payload, notice, letter);
    }

    @Override
    public Object getPayload() {
        return payload;
    }

    /** Most methods ask for none, so they are gathered when they are asked for. */
    @Override
    public MessageHeaders getHeaders() {
        Headers gathered = headers;
        if (gathered == null) {
            gathered = letter == null ? headersOf(delivery) : headersOf(letter);
            headers = gathered;
        }
        return gathered;
    }

    private static Headers headersOf(Delivery delivery) {
        return new Headers(
                delivery.headers(),
                Map.of(
                        DelayHeaders.TOPIC, delivery.topic(),
                        DelayHeaders.ID, delivery.id(),
                        DelayHeaders.ATTEMPT, delivery.attempt(),
                        DelayHeaders.DUE, delivery.dueAt(),
                        DelayHeaders.SENT, delivery.sentAt()));
    }

    private static Headers headersOf(DeadLetter letter) {
        return new Headers(
                letter.envelope().headers(),
                Map.of(
                        DelayHeaders.TOPIC, letter.topic(),
                        DelayHeaders.ID, letter.messageId(),
                        DelayHeaders.ATTEMPT, letter.attempts(),
                        DelayHeaders.DUE, letter.envelope().dueAt(),
                        DelayHeaders.SENT, letter.envelope().sentAt()));
    }

    @Override
    public String toString() {
        return "DeliveryMessage " + getHeaders();
    }

    Delivery delivery() {
        return delivery;
    }

    @Nullable
    DeadLetter letter() {
        return letter;
    }

    /** Has no id and no timestamp of its own, so that headers of these names are what the sender made them. */
    private static final class Headers extends MessageHeaders {

        private static final long serialVersionUID = 1L;

        Headers(Map<String, String> sent, Map<String, Object> standard) {
            super(Map.of(), ID_VALUE_NONE, -1L);
            Map<String, Object> all = new HashMap<>(sent);
            all.putAll(standard);
            getRawHeaders().putAll(all);
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
