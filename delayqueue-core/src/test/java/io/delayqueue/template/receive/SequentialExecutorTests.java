package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SequentialExecutorTests {

    private final SequentialExecutor executor = new SequentialExecutor();

    @Test
    void taskThatIsSubmittedByATaskRunsAfterIt() {
        List<String> ran = new ArrayList<>();

        executor.execute(() -> {
            executor.execute(() -> ran.add("second"));
            ran.add("first");
        });

        assertThat(ran).containsExactly("first", "second");
    }

    @Test
    void threadDoesNotWaitForTheTaskOfAnother() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch submitted = new CountDownLatch(1);
            List<Thread> ran = new ArrayList<>();
            Future<?> first = other.submit(() -> executor.execute(() -> {
                running.countDown();
                await(submitted);
            }));
            await(running);

            executor.execute(() -> ran.add(Thread.currentThread()));
            submitted.countDown();

            first.get();
            assertThat(ran).hasSize(1).doesNotContain(Thread.currentThread());
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void tasksOfManyThreadsNeverOverlapAndKeepTheOrderOfTheirThread() throws Exception {
        int threads = 4;
        int tasks = 5_000;
        int[] last = new int[threads];
        long[] ran = {0};
        ExecutorService others = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> submitting = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                submitting.add(others.submit(() -> {
                    for (int j = 1; j <= tasks; j++) {
                        int task = j;
                        executor.execute(() -> {
                            ran[0]++; // lost if tasks overlap
                            last[thread] = last[thread] == task - 1 ? task : -1;
                        });
                    }
                }));
            }
            for (Future<?> each : submitting) {
                each.get();
            }

            assertThat(ran[0]).isEqualTo((long) threads * tasks);
            assertThat(last).containsOnly(tasks);
        } finally {
            others.shutdownNow();
        }
    }

    @Test
    void tasksAfterAFailedOneRunAndTheFirstExceptionIsThrown() {
        List<String> ran = new ArrayList<>();

        assertThatThrownBy(() -> executor.execute(() -> {
                    executor.execute(() -> {
                        throw new OutOfMemoryError("second");
                    });
                    executor.execute(() -> ran.add("third"));
                    throw new IllegalStateException("first");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("first");
        assertThat(ran).containsExactly("third");
        executor.execute(() -> ran.add("later"));
        assertThat(ran).containsExactly("third", "later");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
