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
import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.MessageLimits;
import io.delayqueue.message.Shard.Lane;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
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
            if (text.equals("!!!")) {
                throw new IllegalStateException("not even a conversion exception");
            }
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

    private DeadLetter letter(String payload) {
        Envelope envelope = new Envelope(
                TestDelivery.SENT,
                TestDelivery.DUE,
                "nonce",
                MessageLimits.NONE,
                Map.of("tags", "vip"),
                payload.getBytes(StandardCharsets.UTF_8));
        DeadLetter letter =
                new DeadLetter("o-1@t", "orders", "o-1", Instant.EPOCH, DeathCause.ATTEMPTS_SPENT, 10, null, envelope);
        application.letters.byId.put(letter.letterId(), letter);
        return letter;
    }

    private static TestDelivery notice(int attempt) {
        return TestDelivery.of("orders", "o-1@t", new byte[0], attempt);
    }

    static class Everything {
        final List<Object> got = new ArrayList<>();

        @DeadLetterListener(topic = "orders", id = "deaths", concurrency = "3")
        void onDeath(
                DeadLetter letter,
                Order order,
                @Header String tags,
                @Header(DelayHeaders.ID) String id,
                @Header(DelayHeaders.ATTEMPT) int attempts,
                Delivery notice,
                Acknowledgement acknowledgement) {
            got.addAll(List.of(letter, order, tags, id, attempts, notice, acknowledgement));
        }
    }

    @Test
    void aDeathComesWithItsLetterItsPayloadAndItsHeaders() throws Exception {
        RecordingContainer container = start(Everything.class);
        DeadLetter letter = letter("book");
        TestDelivery notice = notice(1);

        assertThat(container.deliver(notice)).isNull();
        assertThat(application.bean(Everything.class).got)
                .containsExactly(letter, new Order("book"), "vip", "o-1", 10, notice, notice);
    }

    @Test
    void theLaneOfDeathsIsConsumedAndNoticesAreAskedFor() {
        RecordingContainer container = start(Everything.class);

        assertThat(container.spec.lane()).isEqualTo(Lane.DEATHS);
        assertThat(container.spec.payloadType()).isEqualTo(byte[].class);
        assertThat(container.options())
                .isEqualTo(ListenerOptions.DEFAULTS.toBuilder().concurrency(3).build());
    }

    @Test
    void aLetterThatIsGoneIsAcknowledgedWithoutACall() throws Exception {
        RecordingContainer container = start(Everything.class);
        assertThat(container.deliver(notice(1))).isNull();
        assertThat(application.bean(Everything.class).got).isEmpty();
    }

    static class Raw {
        final List<Object> got = new ArrayList<>();

        @DeadLetterListener("orders")
        void onDeath(byte[] payload) {
            got.add(new String(payload, StandardCharsets.UTF_8));
        }

        @DeadLetterListener(topic = "orders", id = "text")
        void onDeathOfText(String payload) {
            got.add(payload);
        }
    }

    @Test
    void textAndBytesAreTakenAsTheyAre() throws Exception {
        start(Raw.class);
        letter("???");
        for (String id : application.registry().getListenerIds()) {
            application.container(id).deliver(notice(1));
        }
        assertThat(application.bean(Raw.class).got).containsExactly("???", "???");
    }

    static class Lenient {
        final List<Object> got = new ArrayList<>();

        @DeadLetterListener(topic = "orders", id = "null")
        void onDeath(@Payload(required = false) Order order, DeadLetter letter) {
            got.addAll(Arrays.asList(order, letter));
        }

        @DeadLetterListener(topic = "orders", id = "optional")
        void onDeath(Optional<Order> order) {
            got.add(order);
        }

        @DeadLetterListener(topic = "orders", id = "none")
        void onDeath() {
            got.add("none");
        }
    }

    @Test
    void anUnreadablePayloadIsMissingWhereItMayBe() throws Exception {
        start(Lenient.class);
        DeadLetter letter = letter("???");
        for (String id : List.of("null", "optional", "none")) {
            application.container(id).deliver(notice(1));
        }
        assertThat(application.bean(Lenient.class).got).containsExactly(null, letter, Optional.empty(), "none");
    }

    @Test
    void anUnreadablePayloadIsAFailureWhereItMayNot() {
        RecordingContainer container = start(Everything.class);
        letter("???");
        assertThatExceptionOfType(PayloadConversionException.class)
                .isThrownBy(() -> container.deliver(notice(1)))
                .withMessage("not an order");
    }

    @Test
    void whateverTheConverterThrowsThePayloadIsUnreadable() throws Exception {
        start(Lenient.class);
        DeadLetter letter = letter("!!!");
        application.container("null").deliver(notice(1));
        assertThat(application.bean(Lenient.class).got).containsExactly(null, letter);
    }

    @Test
    void bytesThatAreNoTextAreRefusedAsText() {
        start(Raw.class);
        DeadLetter letter = letter("");
        Envelope whole = letter.envelope();
        Envelope broken = new Envelope(
                whole.sentAt(), whole.dueAt(), whole.nonce(), whole.limits(), whole.headers(), new byte[] {(byte) 0xC3
                });
        application.letters.byId.put(
                letter.letterId(),
                new DeadLetter("o-1@t", "orders", "o-1", Instant.EPOCH, DeathCause.BURIED, 1, null, broken));
        assertThatExceptionOfType(PayloadConversionException.class)
                .isThrownBy(() -> application.container("text").deliver(notice(1)));
        assertThat(application.bean(Raw.class).got).isEmpty();
    }

    static class Failing {
        @DeadLetterListener("orders")
        void onDeath(DeadLetter letter) {
            throw new IllegalStateException("mail is down");
        }
    }

    @Test
    void whatAListenerThrowsIsJudgedByTheEngineAlsoForTheLastTime() {
        RecordingContainer container = start(Failing.class);
        letter("book");

        for (int attempt : List.of(1, 10)) {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> container.deliver(notice(attempt)))
                    .withMessage("mail is down");
        }
    }

    static class Late {
        final CompletableFuture<Void> future = new CompletableFuture<>();

        @DeadLetterListener("orders")
        CompletableFuture<Void> onDeath(DeadLetter letter) {
            return future.thenRun(() -> {});
        }
    }

    @Test
    void aFutureThatFailsIsJudgedByTheEngine() throws Exception {
        RecordingContainer container = start(Late.class);
        letter("book");
        CompletionStage<?> stage = container.deliver(notice(10));
        IllegalStateException failure = new IllegalStateException("mail is down");
        application.bean(Late.class).future.completeExceptionally(failure);

        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> stage.toCompletableFuture().join())
                .withCause(failure);
    }

    @Test
    void aLetterThatCannotBeLoadedNowIsRetried() {
        RecordingContainer container = start(Everything.class);
        letter("book");
        application.letters.away = true;
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> container.deliver(notice(1)))
                .withMessage("Redis is away");
    }
}
