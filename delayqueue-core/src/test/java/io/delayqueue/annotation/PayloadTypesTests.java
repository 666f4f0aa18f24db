package io.delayqueue.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.messaging.Message;
import tools.jackson.databind.JsonNode;

/** Listeners of one topic read each other's payloads, or the start fails. */
class PayloadTypesTests {

    record Paid(String order) {}

    record Cancelled(String reason) {}

    static class OfPaid {

        @DelayListener(topic = "orders", id = "paid")
        void handle(Paid paid) {}
    }

    static class OfCancelled {

        @DelayListener(topic = "orders", id = "cancelled")
        void handle(Cancelled cancelled) {}
    }

    static class OfCancelledMessages {

        @DelayListener(topic = "orders", id = "messages")
        void handle(Message<Cancelled> cancelled) {}
    }

    static class OfCancelledBatches {

        @DelayListener(topic = "orders", id = "batches", batchSize = "10")
        void handle(List<Cancelled> cancelled) {}
    }

    @ParameterizedTest
    @ValueSource(classes = {OfCancelled.class, OfCancelledMessages.class, OfCancelledBatches.class})
    void unrelatedTypesFailTheStart(Class<?> other) {
        assertThatThrownBy(() -> ListenerApplication.start(OfPaid.class, other).close())
                .isInstanceOfSatisfying(
                        InvalidListenerException.class,
                        failure -> assertThat(failure.problem())
                                .contains(
                                        Paid.class.getName(),
                                        Cancelled.class.getName(),
                                        "bean 'payloadTypesTests.OfPaid'",
                                        "topic 'orders'"));
    }

    static class OfAll {

        @DelayListener(topic = "orders", id = "bytes")
        void handle(byte[] body) {}

        @DelayListener(topic = "orders", id = "text")
        void handle(String text) {}

        @DelayListener(topic = "orders", id = "object")
        void handle(Object payload) {}

        @DelayListener(topic = "orders", id = "map")
        void handle(Map<String, Object> payload) {}

        @DelayListener(topic = "orders", id = "tree")
        void handle(JsonNode payload) {}

        @DelayListener(topic = "orders", id = "super")
        void handle(Record payload) {}

        @DelayListener(topic = "other", id = "other")
        void handle(Cancelled cancelled) {}

        @DeadLetterListener(topic = "orders", id = "dead")
        void handleDead(Cancelled cancelled) {}
    }

    @Test
    void relatedAndGeneralTypesAndOtherTopicsAreAccepted() {
        assertThatCode(() ->
                        ListenerApplication.start(OfPaid.class, OfAll.class).close())
                .doesNotThrowAnyException();
    }
}
