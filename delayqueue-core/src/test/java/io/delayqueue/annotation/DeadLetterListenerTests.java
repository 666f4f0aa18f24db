package io.delayqueue.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.convert.PayloadConverter;
import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.DelayHeaders;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.QueueKind;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;

class DeadLetterListenerTests {

    record Order(String item) {}

    /** Reads everything but "???". */
    static class OrderConverter implements PayloadConverter {

        @Override
        public byte[] write(Object payload) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Object read(byte[] body, Type type) {
            String text = new String(body, StandardCharsets.UTF_8);
            if (text.equals("???")) {
                throw new PayloadConversionException("not an order", new IllegalArgumentException());
            }
            return new Order(text);
        }
    }

    private ListenerApplication application;

    @AfterEach
    void close() {
        application.close();
    }

    private RecordingContainer start(Class<?> bean) {
        application = ListenerApplication.start(bean, OrderConverter.class);
        return application.onlyContainer();
    }

    private DeadLetter deadLetter(String payload) {
        Envelope envelope = new Envelope(
                TestDelivery.SENT,
                TestDelivery.DUE,
                "nonce",
                MessageLimits.NONE,
                null,
                null,
                Map.of("tags", "vip"),
                payload.getBytes(StandardCharsets.UTF_8));
        DeadLetter deadLetter = new DeadLetter(
                "o-1@t",
                "orders",
                "o-1",
                Instant.EPOCH,
                DeadLetterCause.ATTEMPTS_SPENT,
                "ATTEMPTS_SPENT",
                10,
                null,
                null,
                null,
                List.of(),
                envelope);
        application.deadLetters.byId.put(deadLetter.deadLetterId(), deadLetter);
        return deadLetter;
    }

    private static TestDelivery notification(int attempt) {
        return TestDelivery.of("orders", "o-1@t", new byte[0], attempt);
    }

    static class Everything {
        final List<Object> got = new ArrayList<>();

        @DeadLetterListener(topic = "orders", id = "notifications", concurrency = "3")
        void onDeadLetter(
                DeadLetter deadLetter,
                Order order,
                @Header String tags,
                @Header(DelayHeaders.ID) String id,
                @Header(DelayHeaders.ATTEMPT) int attempts,
                Delivery notification,
                Acknowledgement acknowledgement) {
            got.addAll(List.of(deadLetter, order, tags, id, attempts, notification, acknowledgement));
        }
    }

    @Test
    void deadLetterPayloadAndHeadersAreResolved() throws Exception {
        RecordingContainer container = start(Everything.class);
        DeadLetter deadLetter = deadLetter("book");
        TestDelivery notification = notification(1);

        assertThat(container.deliver(notification)).isNull();
        assertThat(application.bean(Everything.class).got)
                .containsExactly(deadLetter, new Order("book"), "vip", "o-1", 10, notification, notification);
    }

    @Test
    void notificationsAreConsumedAndEnabled() {
        RecordingContainer container = start(Everything.class);

        assertThat(container.spec.kind()).isEqualTo(QueueKind.NOTIFICATIONS);
        assertThat(container.spec.payloadType()).isEqualTo(byte[].class);
        assertThat(container.options())
                .isEqualTo(ListenerOptions.DEFAULTS.toBuilder().concurrency(3).build());
    }

    @Test
    void missingDeadLetterIsAcknowledgedWithoutACall() throws Exception {
        RecordingContainer container = start(Everything.class);
        assertThat(container.deliver(notification(1))).isNull();
        assertThat(application.bean(Everything.class).got).isEmpty();
    }

    static class Raw {
        final List<Object> got = new ArrayList<>();

        @DeadLetterListener("orders")
        void onDeadLetter(byte[] payload) {
            got.add(new String(payload, StandardCharsets.UTF_8));
        }

        @DeadLetterListener(topic = "orders", id = "text")
        void onDeadLetterOfText(String payload) {
            got.add(payload);
        }
    }

    @Test
    void textAndBytesAreNotConverted() throws Exception {
        start(Raw.class);
        deadLetter("???");
        for (String id : application.registry().getListenerIds()) {
            application.container(id).deliver(notification(1));
        }
        assertThat(application.bean(Raw.class).got).containsExactly("???", "???");
    }

    static class Lenient {
        final List<Object> got = new ArrayList<>();

        @DeadLetterListener(topic = "orders", id = "null")
        void onDeadLetter(@Payload(required = false) Order order, DeadLetter deadLetter) {
            got.addAll(Arrays.asList(order, deadLetter));
        }

        @DeadLetterListener(topic = "orders", id = "optional")
        void onDeadLetter(Optional<Order> order) {
            got.add(order);
        }

        @DeadLetterListener(topic = "orders", id = "none")
        void onDeadLetter() {
            got.add("none");
        }
    }

    @Test
    void unreadablePayloadIsNullForAnOptionalParameter() throws Exception {
        start(Lenient.class);
        DeadLetter deadLetter = deadLetter("???");
        for (String id : List.of("null", "optional", "none")) {
            application.container(id).deliver(notification(1));
        }
        assertThat(application.bean(Lenient.class).got).containsExactly(null, deadLetter, Optional.empty(), "none");
    }

    @Test
    void unreadablePayloadFailsForARequiredParameter() {
        RecordingContainer container = start(Everything.class);
        deadLetter("???");
        assertThatExceptionOfType(PayloadConversionException.class)
                .isThrownBy(() -> container.deliver(notification(1)))
                .withMessage("not an order");
    }

    static class Failing {
        @DeadLetterListener("orders")
        void onDeadLetter(DeadLetter deadLetter) {
            throw new IllegalStateException("mail is down");
        }
    }

    @Test
    void exceptionOfAListenerIsPassedToTheEngine() {
        RecordingContainer container = start(Failing.class);
        deadLetter("book");

        for (int attempt : List.of(1, 10)) {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> container.deliver(notification(attempt)))
                    .withMessage("mail is down");
        }
    }

    @Test
    void failureToLoadADeadLetterIsRetried() {
        RecordingContainer container = start(Everything.class);
        deadLetter("book");
        application.deadLetters.unavailable = true;
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> container.deliver(notification(1)))
                .withMessage("Redis is unavailable");
    }
}
