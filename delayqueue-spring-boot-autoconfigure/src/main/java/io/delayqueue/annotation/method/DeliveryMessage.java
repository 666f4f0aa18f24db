package io.delayqueue.annotation.method;

import io.delayqueue.listener.DelayHeaders;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DeadLetter;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.support.GenericMessage;

/** A delivery, and where there is one the letter it tells of, as {@code spring-messaging} sees it. */
final class DeliveryMessage extends GenericMessage<Object> {

    private static final long serialVersionUID = 1L;

    private final transient Delivery delivery;
    private final transient @Nullable DeadLetter letter;

    private DeliveryMessage(Object payload, Headers headers, Delivery delivery, @Nullable DeadLetter letter) {
        super(payload, headers);
        this.delivery = delivery;
        this.letter = letter;
    }

    static DeliveryMessage of(Delivery delivery) {
        Headers headers = new Headers(
                delivery.headers(),
                Map.of(
                        DelayHeaders.TOPIC, delivery.topic(),
                        DelayHeaders.ID, delivery.id(),
                        DelayHeaders.ATTEMPT, delivery.attempt(),
                        DelayHeaders.DUE, delivery.dueAt(),
                        DelayHeaders.SENT, delivery.sentAt()));
        return new DeliveryMessage(delivery.payload(), headers, delivery, null);
    }

    static DeliveryMessage of(DeadLetter letter, Object payload, Delivery notice) {
        Headers headers = new Headers(
                letter.envelope().headers(),
                Map.of(
                        DelayHeaders.TOPIC, letter.topic(),
                        DelayHeaders.ID, letter.messageId(),
                        DelayHeaders.ATTEMPT, letter.attempts(),
                        DelayHeaders.DUE, letter.envelope().dueAt(),
                        DelayHeaders.SENT, letter.envelope().sentAt()));
        return new DeliveryMessage(payload, headers, notice, letter);
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
