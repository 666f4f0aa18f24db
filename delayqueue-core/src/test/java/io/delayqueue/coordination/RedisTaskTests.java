package io.delayqueue.coordination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.listener.ListenerProgress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The progress of a task, by a clock that the test moves. */
class RedisTaskTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration ALWAYS = Duration.ofDays(365);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // the monotonic clock may overflow
    private final Semaphore wakes = new Semaphore(0);
    private final AtomicReference<Supplier<Duration>> run = new AtomicReference<>(() -> SECOND);
    private final Task task = new Task();

    private final class Task extends RedisTask {

        private boolean calls = true;
        private Runnable afterwards = () -> {};
        private CompletableFuture<Duration> call = CompletableFuture.completedFuture(SECOND);

        Task() {
            super(nanos::get);
        }

        @Override
        protected Duration roundTrip() {
            Duration wait = run.get().get();
            if (!calls) {
                return wait;
            }
            if (reply(() -> call) == null) {
                return UNTIL_WOKEN;
            }
            afterwards.run();
            return wait;
        }
    }

    @BeforeEach
    void schedule() {
        task.schedule(new Background(wakes), "task");
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private void fails(String message) {
        run.set(() -> {
            throw new IllegalStateException(message);
        });
        assertThatThrownBy(task::run).hasMessage(message);
    }

    @Test
    void progressHasTheTimeSinceASuccess() {
        assertThat(task.run()).isEqualTo(SECOND);
        pass(Duration.ofMillis(300));

        assertThat(task.progress()).isEqualTo(new ListenerProgress(Duration.ofMillis(300), null, null, Duration.ZERO));
    }

    @Test
    void runWithoutACallIsNoSuccess() {
        task.calls = false;
        assertThat(task.run()).isEqualTo(SECOND);
        assertThat(task.progress()).isEqualTo(ListenerProgress.NONE);

        task.calls = true;
        task.run();
        task.calls = false;
        pass(SECOND);
        task.run();
        assertThat(task.progress()).isEqualTo(new ListenerProgress(SECOND, null, null, Duration.ZERO));
    }

    @Test
    void runThatFailsAfterTheReplyIsNoSuccess() {
        task.afterwards = () -> {
            throw new IllegalStateException("afterwards");
        };
        assertThatThrownBy(task::run).hasMessage("afterwards");
        assertThat(task.progress().sinceSuccess()).isNull();
        assertThat(task.progress().failingFor()).isZero();
    }

    @Test
    void callWithoutReplyIsNoSuccessAndOverdue() {
        task.run();
        task.call = new CompletableFuture<>();
        pass(Duration.ofMillis(400));
        assertThat(task.run()).isEqualTo(RedisTask.UNTIL_WOKEN);
        pass(SECOND);
        task.run();

        assertThat(task.progress()).isEqualTo(new ListenerProgress(Duration.ofMillis(1400), null, null, SECOND));
        assertThat(wakes.availablePermits()).isZero();

        task.call.complete(SECOND);
        assertThat(wakes.availablePermits()).isEqualTo(1);
        task.run();

        assertThat(task.progress()).isEqualTo(new ListenerProgress(Duration.ZERO, null, null, Duration.ZERO));
    }

    @Test
    void wakeBeforeTheHandleIsKnownIsNotLost() {
        task.schedule(
                (name, scheduled) -> {
                    task.wake();
                    return new Background(wakes);
                },
                "task");
        assertThat(wakes.availablePermits()).isEqualTo(1);
    }

    @Test
    void runWithoutAThreadOfTheSchedulerWaitsForTheReply() {
        Task byHand = new Task();
        byHand.call = new CompletableFuture<>();
        Thread runner = Thread.currentThread();
        Thread replier = new Thread(() -> {
            while (runner.getState() != Thread.State.WAITING
                    && !Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
            byHand.call.complete(SECOND);
        });
        replier.start();
        try {
            assertThat(byHand.run()).isEqualTo(SECOND);
        } finally {
            replier.interrupt();
        }
    }

    @Test
    void failuresCountFromTheFirstOneInARow() {
        task.run();
        pass(SECOND);
        fails("first");
        pass(SECOND);
        fails("second");
        pass(SECOND);

        ListenerProgress progress = task.progress();

        assertThat(progress.failingFor()).isEqualTo(SECOND.multipliedBy(2));
        assertThat(progress.failure()).hasMessage("second");
        assertThat(progress.sinceSuccess()).isEqualTo(SECOND.multipliedBy(3));
        assertThat(progress.overdueFor()).isZero();
    }

    @Test
    void successEndsFailing() {
        fails("once");
        run.set(() -> SECOND);
        task.run();
        pass(SECOND);
        fails("again");

        assertThat(task.progress().failingFor()).isZero();
        run.set(() -> SECOND);
        task.run();
        assertThat(task.progress()).isEqualTo(new ListenerProgress(Duration.ZERO, null, null, Duration.ZERO));
    }

    @Test
    void missingCallIsOverdue() {
        pass(SECOND);
        assertThat(task.progress().overdueFor()).isEqualTo(SECOND);
        task.run();
        pass(SECOND.multipliedBy(3));

        assertThat(task.progress().overdueFor()).isEqualTo(SECOND.multipliedBy(2));
    }

    @Test
    void pollerWithoutAssignmentIsNotOverdue() {
        run.set(() -> ALWAYS);
        task.run();
        pass(Duration.ofDays(30));

        assertThat(task.progress()).isEqualTo(new ListenerProgress(Duration.ofDays(30), null, null, Duration.ZERO));
    }

    @Test
    void tasksThatAreRunByHandAreNeverOverdue() {
        task.schedule((name, scheduled) -> new Background(wakes), "task");
        pass(Duration.ofDays(1));

        assertThat(task.progress()).isEqualTo(ListenerProgress.NONE);
    }
}
