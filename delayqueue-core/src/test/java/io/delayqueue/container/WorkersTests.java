package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkersTests {

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final Queue<ClaimedDelivery> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger handled = new AtomicInteger();

    @AfterEach
    void end() {
        executor.shutdownNow();
    }

    private Workers workers(int concurrency, Function<List<ClaimedDelivery>, CompletableFuture<?>> handler) {
        Workers[] self = new Workers[1];
        self[0] = new Workers(executor, concurrency, () -> Workers.batch(1, waiting::poll), handler, () -> {
            if (!waiting.isEmpty()) {
                self[0].dispatch();
            }
        });
        return self[0];
    }

    private static ClaimedDelivery delivery() {
        return Claims.delivery("m");
    }

    @Test
    void noDeliveryWaitsWhenTheLastWorkerEnds() {
        Workers workers = workers(2, batch -> {
            handled.incrementAndGet();
            return null;
        });
        for (int i = 1; i <= 5000; i++) {
            int expected = i;
            waiting.add(delivery());
            workers.dispatch();
            if (i % 50 == 0) {
                await().until(() -> handled.get() == expected);
            }
        }
        await().until(() -> workers.inUse() == 0);
    }

    @Test
    void workerThatCannotStartTheNextHandlesItsOwnBatch() {
        AtomicInteger threads = new AtomicInteger();
        Workers workers = new Workers(
                task -> {
                    if (threads.getAndIncrement() > 0) {
                        throw new InternalError("unable to create native thread");
                    }
                    executor.execute(task);
                },
                2,
                () -> Workers.batch(1, waiting::poll),
                batch -> {
                    handled.incrementAndGet();
                    return null;
                },
                () -> {});
        waiting.addAll(List.of(delivery(), delivery()));
        workers.dispatch();
        await().until(() -> handled.get() == 2 && workers.inUse() == 0);
        assertThat(threads).hasValueGreaterThan(1);
    }

    @Test
    void stagesHoldTheirPermits() {
        CompletableFuture<Void> stage = new CompletableFuture<>();
        Workers workers = workers(2, batch -> {
            handled.incrementAndGet();
            return stage;
        });
        for (int i = 0; i < 5; i++) {
            waiting.add(delivery());
            workers.dispatch();
        }
        await().until(() -> handled.get() == 2);
        workers.dispatch();
        assertThat(workers.inUse()).isEqualTo(2);
        assertThat(waiting).hasSize(3);
        stage.completeExceptionally(new IllegalStateException("fails"));
        await().until(() -> handled.get() == 5 && workers.inUse() == 0);
    }
}
