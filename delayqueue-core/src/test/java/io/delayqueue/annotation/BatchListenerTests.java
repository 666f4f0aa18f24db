package io.delayqueue.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.listener.BatchFailureException;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.messaging.Message;

class BatchListenerTests {

    record Order(String item) {}

    static class Payloads {
        final List<List<?>> got = new ArrayList<>();

        @DelayListener("orders")
        void handle(List<Order> orders) {
            got.add(orders);
        }
    }

    @Test
    void aListOfPayloadsIsABatch() throws Exception {
        try (ListenerApplication application = ListenerApplication.start(Payloads.class)) {
            RecordingContainer container = application.onlyContainer();
            Order first = new Order("book");
            Order second = new Order("pen");
            container.deliver(TestDelivery.of(first), TestDelivery.of(second));

            assertThat(container.options().batchSize()).isEqualTo(100);
            assertThat(container.spec.payloadType()).isEqualTo(Order.class);
            assertThat(application.bean(Payloads.class).got).containsExactly(List.of(first, second));
        }
    }

    static class Everything {
        final List<Object> got = new ArrayList<>();

        @DelayListener(topic = "orders", batchSize = "7")
        void handle(List<Delivery> deliveries, List<Message<Order>> messages, List<? extends Order> orders) {
            got.addAll(deliveries);
            messages.forEach(message -> got.add(message.getHeaders().get("tags")));
            got.addAll(orders);
        }
    }

    @Test
    void batchMethodMayHaveSeveralLists() throws Exception {
        try (ListenerApplication application = ListenerApplication.start(Everything.class)) {
            RecordingContainer container = application.onlyContainer();
            TestDelivery first = TestDelivery.of(new Order("book")).header("tags", "a");
            TestDelivery second = TestDelivery.of(new Order("pen")).header("tags", "b");
            container.deliver(first, second);

            assertThat(container.options().batchSize()).isEqualTo(7);
            assertThat(container.spec.payloadType()).isEqualTo(Order.class);
            assertThat(application.bean(Everything.class).got)
                    .containsExactly(first, second, "a", "b", first.payload(), second.payload());
        }
    }

    @Test
    void batchSizeOfATopicAppliesToListsOnly() {
        ListenerOptions batches =
                ListenerOptions.DEFAULTS.toBuilder().batchSize(50).build();
        try (ListenerApplication application = ListenerApplication.start(
                prepared -> prepared.topics.putAll(Map.of("orders", batches, "arrays", batches)),
                Payloads.class,
                Single.class)) {
            assertThat(application.container("single").options().batchSize()).isEqualTo(1);
            assertThat(application
                            .container("batchListenerTests.Payloads.handle")
                            .options()
                            .batchSize())
                    .isEqualTo(50);
        }
    }

    @Test
    void batchOfOneIsPermitted() {
        ListenerOptions one = ListenerOptions.DEFAULTS.toBuilder().batchSize(1).build();
        try (ListenerApplication application =
                ListenerApplication.start(prepared -> prepared.topics.put("orders", one), Payloads.class)) {
            assertThat(application.onlyContainer().options().batchSize()).isEqualTo(1);
        }
    }

    static class Single {
        @DelayListener(topic = "arrays", id = "single")
        void handle(Order[] orders) {}
    }

    static class Failing {
        @DelayListener("orders")
        void handle(List<Order> orders) {
            throw new BatchFailureException("one of them")
                    .failedPayload(orders.get(1), new IllegalStateException("no pens"));
        }
    }

    @Test
    void batchFailureNamesPayloads() {
        try (ListenerApplication application = ListenerApplication.start(Failing.class)) {
            TestDelivery first = TestDelivery.of(new Order("book"));
            TestDelivery second = TestDelivery.of(new Order("pen"));
            assertThatExceptionOfType(BatchFailureException.class)
                    .isThrownBy(() -> application.onlyContainer().deliver(first, second))
                    .satisfies(failure -> {
                        assertThat(failure.failureOf(first)).isNull();
                        assertThat(failure.failureOf(second)).hasMessage("no pens");
                    });
        }
    }
}
