package io.delayqueue.metrics.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.annotation.TestDelivery;
import io.delayqueue.listener.Delivery;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class LoggingContextTests {

    private static final CompletionStage<?> DONE = CompletableFuture.completedStage(null);

    private final LoggingContext context = new LoggingContext();
    private Map<String, String> seen = Map.of();

    @BeforeEach
    @AfterEach
    void clear() {
        MDC.clear();
    }

    private void handle(List<Delivery> deliveries) throws Exception {
        CompletionStage<?> stage = context.around("listener", deliveries, () -> {
            seen = MDC.getCopyOfContextMap();
            return DONE;
        });
        assertThat((Object) stage).isSameAs(DONE);
    }

    @Test
    void aHandlerSeesTopicIdAndAttempt() throws Exception {
        handle(List.of(TestDelivery.of("orders", "4711", "p", 2)));

        assertThat(seen)
                .containsOnly(
                        Map.entry("delayqueue.topic", "orders"),
                        Map.entry("delayqueue.id", "4711"),
                        Map.entry("delayqueue.attempt", "2"));
        assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
    }

    @Test
    void noLineBeginsWithForeignText() throws Exception {
        handle(List.of(TestDelivery.of("t\nERROR", "i\rERROR", "p", 1)));

        assertThat(seen).contains(Map.entry("delayqueue.topic", "t\\nERROR"), Map.entry("delayqueue.id", "i\\rERROR"));
    }

    @Test
    void aBatchHasATopicOnly() throws Exception {
        MDC.put(LoggingContext.ID, "of somebody else");

        handle(TestDelivery.all("orders", "a", "b"));

        assertThat(seen).containsOnly(Map.entry("delayqueue.topic", "orders"));
        assertThat(MDC.getCopyOfContextMap()).containsOnly(Map.entry(LoggingContext.ID, "of somebody else"));
    }

    @Test
    void previousValuesAreRestored() throws Exception {
        Map<String, String> before =
                Map.of("delayqueue.topic", "t", "delayqueue.id", "i", "delayqueue.attempt", "9", "user", "u");
        MDC.setContextMap(before);

        handle(TestDelivery.all("orders", "4711"));

        assertThat(seen).containsEntry("delayqueue.id", "4711").containsEntry("user", "u");
        assertThat(MDC.getCopyOfContextMap()).isEqualTo(before);
    }

    @Test
    void aHandlerThatThrowsLeavesNothing() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> context.around("listener", TestDelivery.all("orders", "4711"), () -> {
                    throw new IOException("away");
                }));

        assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
    }

    @Test
    void anAsynchronousHandlerHoldsItsThreadOnly() throws Exception {
        CompletableFuture<Object> late = new CompletableFuture<>();

        CompletionStage<?> stage = context.around("listener", TestDelivery.all("orders", "4711"), () -> late);

        assertThat(stage).isSameAs(late);
        assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
    }
}
