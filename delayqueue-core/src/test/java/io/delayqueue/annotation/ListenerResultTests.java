package io.delayqueue.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

class ListenerResultTests {

    static class Futures {
        @DelayListener("orders")
        CompletableFuture<String> handle(CompletableFuture<String> future) {
            return future;
        }
    }

    @Test
    void futureEndsTheDeliveryWhenItCompletes() throws Exception {
        try (ListenerApplication application = ListenerApplication.start(Futures.class)) {
            CompletableFuture<String> future = new CompletableFuture<>();
            CompletionStage<?> stage = application.onlyContainer().deliverPayload(future);

            assertThat(stage).isNotNull();
            assertThat(stage.toCompletableFuture()).isNotDone();
            future.complete("any");
            assertThat(stage.toCompletableFuture()).isCompleted();
        }
    }

    static class Monos {
        @DelayListener("orders")
        Mono<String> handle(Mono<String> mono) {
            return mono;
        }
    }

    @Test
    void aMonoIsSubscribedAndEndsTheDeliveryWhenItCompletes() throws Exception {
        try (ListenerApplication application = ListenerApplication.start(Monos.class)) {
            Sinks.One<String> sink = Sinks.one();
            List<String> seen = new ArrayList<>();
            CompletionStage<?> stage =
                    application.onlyContainer().deliverPayload(sink.asMono().doOnNext(seen::add));

            assertThat(stage.toCompletableFuture()).isNotDone();
            sink.tryEmitValue("one");
            assertThat(stage.toCompletableFuture()).isCompleted();
            assertThat(seen).containsExactly("one");
        }
    }

    @Test
    void aMonoThatFailsFailsTheDelivery() throws Exception {
        try (ListenerApplication application = ListenerApplication.start(Monos.class)) {
            IllegalStateException failure = new IllegalStateException("no");
            CompletionStage<?> stage = application.onlyContainer().deliverPayload(Mono.error(failure));

            assertThat(stage.toCompletableFuture())
                    .isCompletedExceptionally()
                    .failsWithin(java.time.Duration.ZERO)
                    .withThrowableThat()
                    .withCause(failure);
        }
    }

    static class Nothing {
        @DelayListener("orders")
        Mono<String> mono(String payload) {
            return null;
        }

        @DelayListener("orders")
        CompletionStage<Void> stage(String payload) {
            return null;
        }

        @DelayListener("orders")
        Void nothing(String payload) {
            return null;
        }

        @DelayListener("orders")
        void none(String payload) {}
    }

    @Test
    void nullResultEndsTheDelivery() throws Exception {
        try (ListenerApplication application = ListenerApplication.start(Nothing.class)) {
            for (String id : application.registry().getListenerIds()) {
                assertThat(application.container(id).deliverPayload("one")).isNull();
            }
            assertThat(application.registry().getListenerIds()).hasSize(4);
        }
    }
}
