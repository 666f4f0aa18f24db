package io.delayqueue.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.DelayHeaders;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.InvalidDeliveryException;
import java.io.IOException;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.MethodParameter;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.annotation.support.MethodArgumentNotValidException;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

class ListenerArgumentsTests {

    record Order(String item, int amount) {}

    /** Records the arguments of its listener. */
    abstract static class Recording {
        Object[] arguments = {};

        void record(Object... values) {
            arguments = values;
        }
    }

    private ListenerApplication application;

    @AfterEach
    void close() {
        if (application != null) {
            application.close();
        }
    }

    private Object[] call(Class<? extends Recording> type, TestDelivery delivery) throws Exception {
        start(type).deliver(delivery);
        return application.bean(type).arguments;
    }

    private RecordingContainer start(Class<?>... types) {
        application = ListenerApplication.start(types);
        return application.onlyContainer();
    }

    private Type payloadType() {
        return application.onlyContainer().spec.payloadType();
    }

    static class UnannotatedPayload extends Recording {
        @DelayListener("orders")
        void handle(Order order, Delivery delivery, Acknowledgement acknowledgement) {
            record(order, delivery, acknowledgement);
        }
    }

    @Test
    void payloadAndDeliveryAreResolvedByType() throws Exception {
        TestDelivery delivery = TestDelivery.of(new Order("book", 3));
        assertThat(call(UnannotatedPayload.class, delivery)).containsExactly(delivery.payload(), delivery, delivery);
        assertThat(payloadType()).isEqualTo(Order.class);
    }

    static class HeaderListener extends Recording {
        @DelayListener("orders")
        void handle(
                @Header("tags") String tags,
                @Header(DelayHeaders.ID) String id,
                @Header(DelayHeaders.ATTEMPT) int attempt,
                @Header(DelayHeaders.DUE) Instant due,
                @Header int weight,
                @Header(name = "id", required = false) String own,
                @Header(defaultValue = "none") String region,
                @Header("missing") Optional<String> missing,
                @Payload Order order) {
            record(tags, id, attempt, due, weight, own, region, missing, order);
        }
    }

    @Test
    void headersAreResolvedByNameAndConverted() throws Exception {
        Order order = new Order("book", 3);
        TestDelivery delivery = TestDelivery.of(order)
                .header("tags", "vip")
                .header("weight", "12")
                .header("id", "the sender's own");

        assertThat(call(HeaderListener.class, delivery))
                .containsExactly(
                        "vip", "o-1", 1, TestDelivery.DUE, 12, "the sender's own", "none", Optional.empty(), order);
    }

    static class HeadersListener extends Recording {
        @DelayListener("orders")
        void handle(@Headers Map<String, Object> all, @Headers Map<String, String> text, MessageHeaders headers) {
            record(all, text, headers);
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    void headersIncludeTheStandardHeaders() throws Exception {
        Object[] arguments =
                call(HeadersListener.class, TestDelivery.of(new byte[0]).header("tags", "vip"));

        assertThat((Map<String, Object>) arguments[0])
                .containsOnly(
                        Map.entry("tags", "vip"),
                        Map.entry(DelayHeaders.TOPIC, "orders"),
                        Map.entry(DelayHeaders.ID, "o-1"),
                        Map.entry(DelayHeaders.ATTEMPT, 1),
                        Map.entry(DelayHeaders.DUE, TestDelivery.DUE),
                        Map.entry(DelayHeaders.SENT, TestDelivery.SENT));
        assertThat((Map<String, String>) arguments[1])
                .containsEntry("tags", "vip")
                .containsEntry(DelayHeaders.ATTEMPT, "1")
                .containsEntry(DelayHeaders.DUE, "2026-11-01T10:00:00Z");
        assertThat(((MessageHeaders) arguments[2]).getTimestamp()).isEqualTo(TestDelivery.SENT.toEpochMilli());
    }

    static class KeyListener extends Recording {
        @DelayListener("orders")
        void handle(@Header(name = DelayHeaders.KEY, required = false) @Nullable String key, Delivery delivery) {
            record(key, delivery.key());
        }
    }

    @Test
    void keyIsAHeader() throws Exception {
        assertThat(call(KeyListener.class, TestDelivery.of(new byte[0]).key("account-7")))
                .containsExactly("account-7", "account-7");
    }

    @Test
    void senderCannotPretendAKey() throws Exception {
        assertThat(call(KeyListener.class, TestDelivery.of(new byte[0]).header(DelayHeaders.KEY, "account-7")))
                .containsExactly(null, null);
    }

    static class MessageListener extends Recording {
        @DelayListener("orders")
        void handle(Message<Order> message, Message<?> any) {
            record(message.getPayload(), any.getHeaders().get("tags"));
        }
    }

    @Test
    void messageHasPayloadAndHeaders() throws Exception {
        Order order = new Order("book", 3);
        assertThat(call(MessageListener.class, TestDelivery.of(order).header("tags", "vip")))
                .containsExactly(order, "vip");
        assertThat(payloadType()).isEqualTo(Order.class);
    }

    static class BareListener extends Recording {
        @DelayListener("orders")
        void handle(Delivery delivery, Message<?> message) {
            record(delivery.id(), message.getPayload());
        }
    }

    @Test
    void withoutAPayloadParameterNothingIsConverted() throws Exception {
        byte[] body = {1, 2};
        assertThat(call(BareListener.class, TestDelivery.of(body))).containsExactly("o-1", body);
        assertThat(payloadType()).isEqualTo(byte[].class);
    }

    static class GenericListener {
        @DelayListener("orders")
        void handle(Map<String, List<Order>> orders) {}
    }

    @Test
    void payloadTypeKeepsItsGenerics() {
        start(GenericListener.class);
        assertThat(payloadType()).isEqualTo(new ParameterizedTypeReference<Map<String, List<Order>>>() {}.getType());
    }

    static class OptionalListener extends Recording {
        @DelayListener("orders")
        void handle(Optional<Order> order) {
            record(order);
        }
    }

    @Test
    void anOptionalPayloadIsUnwrapped() throws Exception {
        Order order = new Order("book", 3);
        assertThat(call(OptionalListener.class, TestDelivery.of(order))).containsExactly(Optional.of(order));
        assertThat(payloadType()).isEqualTo(Order.class);
    }

    static class TextListener extends Recording {
        @DelayListener("orders")
        void handle(String text) {
            record(text);
        }
    }

    @Test
    void blankTextIsAPayload() throws Exception {
        assertThat(call(TextListener.class, TestDelivery.of(" "))).containsExactly(" ");
        assertThat(call(TextListener.class, TestDelivery.of(""))).containsExactly("");
    }

    @Test
    void aMissingHeaderMakesTheDeliveryInvalid() {
        RecordingContainer container = start(HeaderListener.class);
        assertThatExceptionOfType(InvalidDeliveryException.class)
                .isThrownBy(() -> container.deliverPayload(new Order("book", 3)))
                .withMessageContaining("tags");
    }

    static class ValidatingListener extends Recording {
        @DelayListener("orders")
        void handle(@Validated Order order) {
            record(order);
        }
    }

    static class PositiveAmounts implements Validator, DelayListenerConfigurer {

        @Override
        public void configureDelayListeners(DelayListenerEndpointRegistrar registrar) {
            registrar.setValidator(this);
        }

        @Override
        public boolean supports(Class<?> type) {
            return type == Order.class;
        }

        @Override
        public void validate(Object target, Errors errors) {
            if (((Order) target).amount() <= 0) {
                errors.reject("amount", "amount is positive");
            }
        }
    }

    @Test
    void anInvalidPayloadMakesTheDeliveryInvalid() throws Exception {
        RecordingContainer container = start(ValidatingListener.class, PositiveAmounts.class);

        container.deliverPayload(new Order("book", 1));
        assertThat(application.bean(ValidatingListener.class).arguments).containsExactly(new Order("book", 1));
        assertThatExceptionOfType(InvalidDeliveryException.class)
                .isThrownBy(() -> container.deliverPayload(new Order("book", 0)))
                .withCauseInstanceOf(MethodArgumentNotValidException.class)
                .withMessageContaining("amount is positive");
    }

    record Tenant(String name) {}

    static class TenantListener extends Recording {
        @DelayListener("orders")
        void handle(Tenant tenant, Order order) {
            record(tenant, order);
        }
    }

    static class TenantResolver implements HandlerMethodArgumentResolver, DelayListenerConfigurer {

        @Override
        public void configureDelayListeners(DelayListenerEndpointRegistrar registrar) {
            registrar.addArgumentResolver(this);
        }

        @Override
        public boolean supportsParameter(MethodParameter parameter) {
            return parameter.getParameterType() == Tenant.class;
        }

        @Override
        public Object resolveArgument(MethodParameter parameter, Message<?> message) throws IOException {
            if (!message.getHeaders().containsKey("tenant")) {
                throw new IOException("tenants are unavailable");
            }
            return new Tenant(message.getHeaders().get("tenant", String.class));
        }
    }

    @Test
    void customResolverResolvesItsParameters() throws Exception {
        RecordingContainer container = start(TenantListener.class, TenantResolver.class);
        Order order = new Order("book", 3);

        container.deliver(TestDelivery.of(order).header("tenant", "acme"));
        assertThat(application.bean(TenantListener.class).arguments).containsExactly(new Tenant("acme"), order);
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> container.deliverPayload(order));
    }

    static class FailingListener {
        @DelayListener("orders")
        void handle(Exception failure) throws Exception {
            throw failure;
        }
    }

    @Test
    void exceptionOfTheMethodIsNotWrapped() {
        RecordingContainer container = start(FailingListener.class);
        for (Exception failure : List.of(
                new IOException("checked"),
                new IllegalArgumentException("unchecked"),
                new MessageConversionException("of another message"))) {
            assertThatExceptionOfType(Exception.class)
                    .isThrownBy(() -> container.deliverPayload(failure))
                    .isSameAs(failure);
        }
    }
}
