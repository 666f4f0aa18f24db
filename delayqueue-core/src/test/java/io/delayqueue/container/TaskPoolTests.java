package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TaskPoolTests {

    private static final Duration FAR = Duration.ofDays(10_000);

    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final Exhaustion exhaustion = Exhaustion.whenTold();
    private final Queue<String> recovered = new ConcurrentLinkedQueue<>();
    private final TaskPool pool = new TaskPool(2, exhaustion.threads(), System::nanoTime, new TaskPool.Reporter() {

        @Override
        public void failed(String task, Throwable failure) {
            failures.add(task + " " + failure.getMessage());
            throw new IllegalStateException("and telling of it fails, too");
        }

        @Override
        public void recovered(String task) {
            recovered.add(task);
            throw new IllegalStateException("and telling of it fails, too");
        }
    });

    @AfterEach
    void close() throws InterruptedException {
        pool.close();
        assertThat(pool.awaitEnd(Duration.ofSeconds(60))).isTrue();
    }

    /** With one thread, tasks run in the order in which they become due. */
    private TaskPool single() {
        return new TaskPool(1, exhaustion.threads(), System::nanoTime, (task, failure) -> failures.add(task));
    }

    private static void awaitLaterTask(TaskPool single) {
        AtomicBoolean ran = new AtomicBoolean();
        single.schedule("later", () -> {
            ran.set(true);
            return FAR;
        });
        await().until(ran::get);
    }

    private static void close(TaskPool closed) throws InterruptedException {
        closed.close();
        assertThat(closed.awaitEnd(Duration.ofSeconds(60))).isTrue();
    }

    @Test
    void recoveryIsReportedWhenTheTaskHasDoneItsWork() {
        AtomicInteger calls = new AtomicInteger();
        TaskHandle handle = pool.schedule("s", new PeriodicTask() {

            @Override
            public Duration run() {
                if (calls.incrementAndGet() <= 2) {
                    throw new IllegalStateException("unavailable");
                }
                return FAR;
            }

            @Override
            public boolean isWaiting() {
                return calls.get() == 3;
            }
        });
        await().until(() -> calls.get() == 3);
        assertThat(failures).hasSize(2);
        assertThat(recovered).isEmpty();
        handle.wake();
        await().until(() -> !recovered.isEmpty());
        handle.wake();
        await().until(() -> calls.get() == 5);
        assertThat(recovered).containsExactly("s");
    }

    @Test
    void wakeUpIsNeverLost() {
        AtomicLong asked = new AtomicLong();
        AtomicLong seen = new AtomicLong();
        TaskHandle handle = pool.schedule("s", () -> {
            seen.set(asked.get());
            return FAR;
        });
        for (int i = 1; i <= 20_000; i++) {
            long number = asked.incrementAndGet();
            handle.wake();
            if (i % 100 == 0) {
                await().until(() -> seen.get() == number);
            }
        }
    }

    @Test
    void wakeDuringACallForcesAnotherAndCallsNeverOverlap() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger inside = new AtomicInteger();
        AtomicBoolean overlapped = new AtomicBoolean();
        CountDownLatch entered = new CountDownLatch(1);
        Semaphore mayGo = new Semaphore(0);
        TaskPool single = single();
        TaskHandle handle = single.schedule("s", () -> {
            overlapped.compareAndSet(false, inside.incrementAndGet() > 1);
            calls.incrementAndGet();
            entered.countDown();
            assertThat(mayGo.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
            inside.decrementAndGet();
            return FAR;
        });
        assertThat(entered.await(60, TimeUnit.SECONDS)).isTrue();
        handle.wake();
        handle.wake();
        handle.wakeWithin(Duration.ZERO);
        mayGo.release(10);
        await().until(() -> calls.get() == 2 && inside.get() == 0);
        awaitLaterTask(single);
        assertThat(calls).hasValue(2);
        assertThat(overlapped).isFalse();
        close(single);
    }

    @Test
    void wakeWithinNeverDelaysARun() {
        AtomicInteger calls = new AtomicInteger();
        TaskHandle handle = pool.schedule("s", () -> calls.incrementAndGet() == 2 ? Duration.ofMillis(300) : FAR);
        await().until(() -> calls.get() == 1);
        handle.wakeWithin(Duration.ofMillis(20));
        handle.wakeWithin(Duration.ofDays(1));
        await().until(() -> calls.get() == 2);
        handle.wakeWithin(Duration.ofDays(1));
        await().until(() -> calls.get() == 3);
    }

    @Test
    void cancelledTaskIsNotCalledAgain() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Queue<TaskHandle> own = new ConcurrentLinkedQueue<>();
        TaskPool single = single();
        TaskHandle handle = single.schedule("s", () -> {
            calls.incrementAndGet();
            own.forEach(TaskHandle::cancel);
            return Duration.ZERO;
        });
        own.add(handle);
        await().until(() -> own.size() == 1 && calls.get() > 0);
        handle.cancel();
        int before = calls.get();
        handle.wake();
        awaitLaterTask(single);
        assertThat(calls).hasValueLessThanOrEqualTo(before + 1);
        close(single);
    }

    @Test
    void firstTaskIsRejectedIfNoThreadCanBeCreatedAndLaterTasksNeedNone() {
        PeriodicTask never = () -> FAR;
        exhaustion.begin();
        assertThatThrownBy(() -> pool.schedule("s", never)).isInstanceOf(Error.class);
        exhaustion.end();
        pool.schedule("s", never);
        exhaustion.begin();
        awaitLaterTask(pool);
    }

    @Test
    void closedPoolCallsNothingAndRejectsQuietly() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        TaskHandle handle = pool.schedule("s", () -> {
            calls.incrementAndGet();
            return FAR;
        });
        await().until(() -> calls.get() == 1);
        pool.close();
        handle.wake();
        pool.schedule("later", () -> {
            calls.incrementAndGet();
            return FAR;
        });
        assertThat(pool.awaitEnd(Duration.ofSeconds(60))).isTrue();
        assertThat(calls).hasValue(1);
    }
}
