package io.delayqueue.container;

import io.delayqueue.listener.BatchFailureException;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.HostileException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An exception whose methods all throw is handled as any other failure: every delivery is settled. */
class HostileFailureTests extends HandlingTest {

    private static final ListenerOptions TWICE =
            QUICK.toBuilder().maxAttempts(2).build();

    HostileFailureTests(RedisServerProcess redis) {
        super(redis);
    }

    /** What the methods of the exception throw; each value is tried with a message of its name. */
    private enum Manner {
        RUNTIME,
        ERROR,
        CHECKED;

        Throwable thrown() {
            return switch (this) {
                case RUNTIME -> new IllegalStateException("says nothing");
                case ERROR -> new StackOverflowError();
                case CHECKED -> new IOException("thrown past the compiler");
            };
        }
    }

    static Stream<Named<DeliveryHandler>> handlers() {
        return Stream.of(
                Named.of("throws", deliveries -> {
                    throw hostile(deliveries);
                }),
                Named.of("throws because of", deliveries -> {
                    throw new IllegalStateException("by its cause", hostile(deliveries));
                }),
                Named.of("returns a failed future", deliveries -> CompletableFuture.failedFuture(hostile(deliveries))),
                Named.of("returns a future that fails later", deliveries -> {
                    CompletableFuture<Object> stage = new CompletableFuture<>();
                    CompletableFuture.delayedExecutor(10, TimeUnit.MILLISECONDS)
                            .execute(() -> stage.completeExceptionally(hostile(deliveries)));
                    return stage;
                }));
    }

    @ParameterizedTest
    @MethodSource("handlers")
    void exceptionOfAHandler(DeliveryHandler handler) {
        allDieOf(handler);
    }

    @Test
    void causeThatABatchNames() {
        listen(TWICE.toBuilder().batchSize(10).build(), deliveries -> {
            BatchFailureException failure = new BatchFailureException("some");
            deliveries.stream()
                    .filter(delivery -> !delivery.id().equals("fine"))
                    .forEach(delivery -> failure.failed(delivery.id(), hostile(List.of(delivery))));
            throw failure;
        });
        send("RUNTIME", "fine", "ERROR", "CHECKED");
        await("acknowledged fine");
        awaitDeadLetters();
    }

    @Test
    void exceptionOfAnInterceptor() {
        with((listener, deliveries, next) -> {
            throw hostile(deliveries);
        });
        allDieOf(deliveries -> null);
    }

    @Test
    void exceptionOfARetryPolicy() {
        listen(
                QUICK.toBuilder()
                        .retryPolicy(failed -> {
                            throw hostile(List.of(failed.delivery()));
                        })
                        .build(),
                deliveries -> {
                    throw hostile(deliveries);
                });
        sendAll();
        awaitTimes("retried", Manner.values().length);
        awaitNothingIsLeased(SHARD);
    }

    @Test
    void exceptionThatIsComparedWithThoseNotToRetry() {
        listen(TWICE.toBuilder().notRetryable(List.of(IOException.class)).build(), deliveries -> {
            throw new CompletionException("wrapped", hostile(deliveries));
        });
        sendAll();
        awaitDeadLetters();
    }

    @Test
    void exceptionAtTheNotificationOfADeadLetter() {
        listenToDeadLetters(deliveries -> {
            throw new HostileException(Manner.CHECKED::thrown);
        });
        allDieOf(deliveries -> {
            throw hostile(deliveries);
        });
        awaitTimes("notificationDropped", Manner.values().length);
        awaitNothingIsLeased(SHARD.notifications());
    }

    @Test
    void failingStageFailsTheAttempt() {
        allDieOf(deliveries -> new CompletableFuture<Object>() {
            @Override
            public boolean isDone() {
                throw new UnsupportedOperationException("not to be asked");
            }

            @Override
            public <U> CompletableFuture<U> handle(BiFunction<? super Object, Throwable, ? extends U> fn) {
                throw new UnsupportedOperationException("not to be asked");
            }
        });
    }

    private static HostileException hostile(List<Delivery> deliveries) {
        return new HostileException(Manner.valueOf(deliveries.get(0).id())::thrown);
    }

    private void allDieOf(DeliveryHandler handler) {
        listen(TWICE, handler);
        sendAll();
        awaitDeadLetters();
    }

    private void sendAll() {
        send(Stream.of(Manner.values()).map(Manner::name).toArray(String[]::new));
    }

    private void awaitDeadLetters() {
        for (Manner manner : Manner.values()) {
            await("deadLettered " + manner + " ATTEMPTS_SPENT");
        }
        awaitNothingIsLeased(SHARD);
    }

    private void awaitNothingIsLeased(Shard shard) {
        Awaitility.await()
                .until(() -> Await.result(node.store.count(shard)).counts().leased() == 0);
    }
}
