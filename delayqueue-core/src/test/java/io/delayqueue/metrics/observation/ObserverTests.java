package io.delayqueue.metrics.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import io.delayqueue.listener.BatchFailureException;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult;
import io.delayqueue.template.SendInterceptor;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Observations of sends, handling and receiving. They never change the result of what they observe. */
class ObserverTests {

    private static final CompletionStage<?> DONE = CompletableFuture.completedStage(null);
    private static final DelayMessage MESSAGE =
            DelayMessage.to("orders").id("4711").payload("p").build();

    private static final ReceiveRequest REQUEST =
            new ReceiveRequest("orders", 1, Duration.ZERO, Duration.ofSeconds(30));

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
        List<Delivery> postponed = List.of(new Deliveries("orders", "4711", 1, Map.of(), true));

        assertThat(deliveries.around("cancel", postponed, () -> CompletableFuture.completedStage(null)))
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
                .isThrownBy(() -> deliveries.around("cancel", Deliveries.of("orders", "a", "b"), () -> {
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

    @Test
    void anObservationThatCannotStartDoesNoHarm() throws Exception {
        DelayQueueSendObservationConvention brokenSend = new DelayQueueSendObservationConvention() {
            @Override
            public KeyValues getLowCardinalityKeyValues(DelayQueueSendContext context) {
                throw new IllegalStateException("broken");
            }
        };
        DelayQueueProcessObservationConvention brokenProcess = new DelayQueueProcessObservationConvention() {
            @Override
            public KeyValues getLowCardinalityKeyValues(DelayQueueProcessContext context) {
                throw new IllegalStateException("broken");
            }
        };
        DelayQueueReceiveObservationConvention brokenReceive = new DelayQueueReceiveObservationConvention() {
            @Override
            public KeyValues getLowCardinalityKeyValues(DelayQueueReceiveContext context) {
                throw new IllegalStateException("broken");
            }
        };
        SendResult kept = new SendResult.Kept("orders", "4711");

        assertThat(new SendObserver(registry, brokenSend)
                        .around(sending(), () -> CompletableFuture.completedStage(kept))
                        .toCompletableFuture())
                .isCompletedWithValue(kept);
        assertThat(new DeliveryObserver(registry, brokenProcess, false)
                        .around("cancel", one(), () -> DONE)
                        .toCompletableFuture())
                .isCompleted();
        DelayQueueReceiver receiver = mock();
        CompletableFuture<List<LeasedDelivery>> waiting = new CompletableFuture<>();
        given(receiver.receiveAsync(REQUEST)).willReturn(waiting);
        assertThat(new ReceiveObserver(receiver, registry, brokenReceive).receiveAsync(REQUEST))
                .isSameAs(waiting);
        assertThat(waiting.complete(List.of())).isTrue();
        assertThat(registry.getCurrentObservation()).isNull();
    }

    @Test
    void anObservationThatCannotEndDoesNoHarm() throws Exception {
        ObservationRegistry broken = ObservationRegistry.create();
        broken.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                throw new IllegalStateException("broken");
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });

        assertThat(new DeliveryObserver(broken, null, false)
                        .around("cancel", one(), () -> DONE)
                        .toCompletableFuture())
                .isCompleted();
        DelayQueueReceiver receiver = mock();
        given(receiver.receive(REQUEST)).willReturn(List.of());
        assertThat(new ReceiveObserver(receiver, broken, null).receive(REQUEST)).isEmpty();
    }

    @Test
    void aScopeThatCannotBeOpenedOrClosedDoesNoHarm() throws Exception {
        ObservationRegistry broken = ObservationRegistry.create();
        List<String> scopes = new ArrayList<>();
        broken.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onScopeOpened(Observation.Context context) {
                scopes.add("opened");
            }

            @Override
            public void onScopeClosed(Observation.Context context) {
                scopes.add("closed");
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        broken.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onScopeOpened(Observation.Context context) {
                throw new IllegalStateException("broken");
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return context instanceof DelayQueueSendContext;
            }
        });
        broken.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onScopeClosed(Observation.Context context) {
                throw new IllegalStateException("broken");
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return context instanceof DelayQueueProcessContext;
            }
        });
        SendResult kept = new SendResult.Kept("orders", "4711");

        assertThat(new SendObserver(broken, null)
                        .around(sending(), () -> CompletableFuture.completedStage(kept))
                        .toCompletableFuture())
                .isCompletedWithValue(kept);
        assertThat(broken.getCurrentObservationScope()).isNull();
        assertThat(scopes).containsExactly("opened", "closed");
        assertThat(new DeliveryObserver(broken, null, false)
                        .around("cancel", one(), () -> DONE)
                        .toCompletableFuture())
                .isCompleted();
        assertThat(broken.getCurrentObservationScope()).isNull();
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

    @Test
    void aRegistryThatListensToNothingCostsNothing() throws Exception {
        assertThat(new DeliveryObserver(ObservationRegistry.NOOP, null, false).around("cancel", one(), () -> DONE))
                .isNotNull();
    }

    private static List<Delivery> one() {
        return Deliveries.of("orders", "4711");
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
