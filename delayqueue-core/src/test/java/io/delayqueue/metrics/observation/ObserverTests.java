package io.delayqueue.metrics.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import io.delayqueue.annotation.TestDelivery;
import io.delayqueue.listener.BatchFailureException;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult;
import io.delayqueue.template.SendInterceptor;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.ReceiveRequest;
import io.delayqueue.testing.HostileException;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Observations of sends, handling and receiving. They never change the result of what they observe. */
class ObserverTests {

    private static final CompletionStage<?> DONE = CompletableFuture.completedStage(null);
    private static final DelayMessage MESSAGE =
            DelayMessage.to("orders").id("4711").payload("p").build();

    private static final ReceiveRequest REQUEST = ReceiveRequest.from("orders");

    private final TestObservationRegistry registry = TestObservationRegistry.create();
    private final SendObserver sends = new SendObserver(registry, null);
    private final DeliveryObserver deliveries = new DeliveryObserver(registry, null, false);

    /** Without a tracer no header is set. */
    private record Sending(String topic, String id) implements SendInterceptor.Sending {

        @Override
        public DelayMessage message() {
            throw new AssertionError("A copy of the message, only to be watched");
        }

        @Override
        public void header(String name, String value) {}
    }

    private static Sending sending() {
        return new Sending("orders", "4711");
    }

    static Stream<Arguments> results() {
        return Stream.of(
                Arguments.of(new SendResult.Accepted("orders", "4711", Instant.EPOCH), "accepted", "none"),
                Arguments.of(new SendResult.Replaced("orders", "4711", Instant.EPOCH), "replaced", "none"),
                Arguments.of(new SendResult.Kept("orders", "4711"), "kept", "none"),
                Arguments.of(new SendResult.Duplicate("orders", "4711"), "duplicate", "none"),
                Arguments.of(new SendResult.Rejected("orders", "4711", "full"), "rejected", "MessageRejectedException"),
                Arguments.of(
                        new SendResult.Unknown(MESSAGE, SendResult.Reason.NO_REPLY, "", new TimeoutException()),
                        "unknown",
                        "OutcomeUnknownException"));
    }

    @ParameterizedTest
    @MethodSource("results")
    void aSendIsObservedWithItsResult(SendResult result, String outcome, String exception) {
        CompletableFuture<SendResult> sent = new CompletableFuture<>();
        CompletionStage<SendResult> stage = sends.around(sending(), () -> {
            assertThat(registry.getCurrentObservation()).isNotNull();
            return sent;
        });
        assertThat(registry.getCurrentObservation()).isNull();
        observed().hasObservationWithNameEqualTo("delayqueue.send").that().isNotStopped();

        sent.complete(result);

        assertThat(stage.toCompletableFuture()).isCompletedWithValue(result);
        observed()
                .hasObservationWithNameEqualTo("delayqueue.send")
                .that()
                .hasBeenStopped()
                .hasContextualNameEqualTo("send orders")
                .hasOnlyKeys("topic", "outcome", "exception", "delayqueue.id")
                .hasLowCardinalityKeyValue("topic", "orders")
                .hasLowCardinalityKeyValue("outcome", outcome)
                .hasLowCardinalityKeyValue("exception", exception)
                .hasHighCardinalityKeyValue("delayqueue.id", "4711");
    }

    @Test
    void handlingEndsAlsoIfItsFailureCannotBeDescribed() throws Exception {
        CompletableFuture<Object> handled = new CompletableFuture<>();
        CompletionStage<?> stage = deliveries.around("cancel", one(), () -> handled);
        HostileException hostile = new HostileException(() -> new IOException("thrown past the compiler"));

        assertThat(handled.completeExceptionally(hostile)).isTrue();

        assertThat(stage.<Object>handle((nothing, failure) -> failure == hostile)
                        .toCompletableFuture())
                .isCompletedWithValue(true);
    }

    @Test
    void anExceptionOfTheSendIsObserved() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> sends.around(sending(), () -> {
                    throw new IllegalStateException("inner");
                }));

        assertThat(registry.getCurrentObservation()).isNull();
        observed()
                .hasObservationWithNameEqualTo("delayqueue.send")
                .that()
                .hasBeenStopped()
                .hasLowCardinalityKeyValue("outcome", "none")
                .hasLowCardinalityKeyValue("exception", "IllegalStateException");
    }

    @Test
    void handlingIsOpenUntilItsStageEnds() throws Exception {
        CompletableFuture<Object> late = new CompletableFuture<>();
        CompletionStage<?> stage = deliveries.around("cancel", one(), () -> {
            assertThat(registry.getCurrentObservation()).isNotNull();
            return late;
        });
        assertThat(registry.getCurrentObservation()).isNull();
        observed()
                .hasObservationWithNameEqualTo("delayqueue.process")
                .that()
                .isNotStopped()
                .hasLowCardinalityKeyValue("outcome", "none");

        late.complete("done");

        assertThat(stage.toCompletableFuture()).isCompleted();
        observed()
                .hasObservationWithNameEqualTo("delayqueue.process")
                .that()
                .hasBeenStopped()
                .doesNotHaveError()
                .hasContextualNameEqualTo("process orders")
                .hasOnlyKeys("topic", "listener", "outcome", "exception", "delayqueue.id", "delayqueue.attempt")
                .hasLowCardinalityKeyValue("listener", "cancel")
                .hasLowCardinalityKeyValue("outcome", "success")
                .hasLowCardinalityKeyValue("exception", "none")
                .hasHighCardinalityKeyValue("delayqueue.attempt", "1");
    }

    @Test
    void aPostponedMessageIsNoSuccess() throws Exception {
        TestDelivery delivery = TestDelivery.of("p");
        assertThat(delivery.postpone(Duration.ZERO)).isCompleted();

        assertThat(deliveries.around("cancel", List.of(delivery), () -> CompletableFuture.completedStage(null)))
                .isNotNull();

        observed()
                .hasObservationWithNameEqualTo("delayqueue.process")
                .that()
                .hasBeenStopped()
                .doesNotHaveError()
                .hasLowCardinalityKeyValue("outcome", "postponed");
    }

    @Test
    void aFailedStageIsObserved() throws Exception {
        IOException failure = new IOException("away");
        CompletionStage<?> stage = deliveries.around(
                "cancel", one(), () -> CompletableFuture.failedStage(new CompletionException(failure)));

        assertThat(stage.toCompletableFuture()).isCompletedExceptionally();
        assertFailed(failure, "failure", "IOException");
    }

    @Test
    void anExceptionOfAHandlerIsObserved() {
        Error failure = new Error("anonymous") {};

        assertThatExceptionOfType(Error.class)
                .isThrownBy(() -> deliveries.around("cancel", one(), () -> {
                    throw failure;
                }))
                .isSameAs(failure);

        assertThat(registry.getCurrentObservation()).isNull();
        assertFailed(failure, "failure", failure.getClass().getName());
    }

    @Test
    void anInterceptorWithoutAStageLeavesNothingOpen() {
        assertThatExceptionOfType(NullPointerException.class)
                .isThrownBy(() -> deliveries.around("cancel", one(), () -> null));

        observed().hasObservationWithNameEqualTo("delayqueue.process").that().hasBeenStopped();
    }

    @Test
    void aBatchIsOneObservationAndMayFailInPart() {
        BatchFailureException failure = new BatchFailureException("some").failed("a", new IOException("away"));

        assertThatExceptionOfType(BatchFailureException.class)
                .isThrownBy(() -> deliveries.around("cancel", TestDelivery.all("orders", "a", "b"), () -> {
                    throw failure;
                }));

        observed()
                .hasNumberOfObservationsEqualTo(1)
                .hasObservationWithNameEqualTo("delayqueue.process")
                .that()
                .hasOnlyKeys("topic", "listener", "outcome", "exception", "delayqueue.batch.size")
                .hasHighCardinalityKeyValue("delayqueue.batch.size", "2");
        assertFailed(failure, "partial", "BatchFailureException");
    }

    @ParameterizedTest
    @ValueSource(strings = {"onStart", "onScopeOpened", "onScopeClosed", "onStop"})
    void aHandlerOfObservationsThatFailsDoesNoHarm(String method) throws Exception {
        ObservationHandler<Observation.Context> healthy = mock();
        given(healthy.supportsContext(any())).willReturn(true);
        ObservationHandler<Observation.Context> failing = mock(call -> {
            if (call.getMethod().getName().equals(method)) {
                throw new IllegalStateException("broken");
            }
            return call.getMethod().getName().equals("supportsContext") ? true : null;
        });
        ObservationRegistry broken = ObservationRegistry.create();
        broken.observationConfig().observationHandler(healthy).observationHandler(failing);
        SendResult kept = new SendResult.Kept("orders", "4711");
        DelayQueueReceiver receiver = mock();
        given(receiver.receive(REQUEST)).willReturn(List.of());

        assertThat(new SendObserver(broken, null)
                        .around(sending(), () -> CompletableFuture.completedStage(kept))
                        .toCompletableFuture())
                .isCompletedWithValue(kept);
        assertThat(new DeliveryObserver(broken, null, false)
                        .around("cancel", one(), () -> DONE)
                        .toCompletableFuture())
                .isCompleted();
        assertThat(new ReceiveObserver(receiver, broken, null).receive(REQUEST)).isEmpty();
        assertThat(broken.getCurrentObservationScope()).isNull();
        if (method.equals("onScopeOpened")) {
            verify(healthy, times(2)).onScopeClosed(any());
        }
    }

    @Test
    void aConventionReplacesTheBuiltInOne() throws Exception {
        DelayQueueProcessObservationConvention own = new DelayQueueProcessObservationConvention() {
            @Override
            public String getName() {
                return "own.name";
            }

            @Override
            public KeyValues getLowCardinalityKeyValues(DelayQueueProcessContext context) {
                return DelayQueueProcessObservationConvention.super
                        .getLowCardinalityKeyValues(context)
                        .and(KeyValue.of("team", "billing"));
            }
        };

        CompletionStage<?> unused = new DeliveryObserver(registry, own, false).around("cancel", one(), () -> DONE);

        observed()
                .hasObservationWithNameEqualTo("own.name")
                .that()
                .hasLowCardinalityKeyValue("team", "billing")
                .hasLowCardinalityKeyValue("outcome", "success");
    }

    private static List<Delivery> one() {
        return TestDelivery.all("orders", "4711");
    }

    private void assertFailed(Throwable failure, String outcome, String exception) {
        observed()
                .hasObservationWithNameEqualTo("delayqueue.process")
                .that()
                .hasBeenStopped()
                .hasError(failure)
                .hasLowCardinalityKeyValue("outcome", outcome)
                .hasLowCardinalityKeyValue("exception", exception);
    }

    private TestObservationRegistryAssert observed() {
        return TestObservationRegistryAssert.assertThat(registry);
    }
}
