package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.listener.ListenerProgress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What is known of a task by its calls, in a time that stands still unless it is moved. */
class TaskMonitorTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration ALWAYS = Duration.ofDays(365);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // the monotonic clock may overflow
    private final AtomicReference<PeriodicTask> task = new AtomicReference<>(() -> SECOND);
    private final AtomicBoolean unanswered = new AtomicBoolean();
    private final TaskMonitor monitor = monitor(true);

    private TaskMonitor monitor(boolean punctual) {
        return new TaskMonitor(() -> task.get().run(), unanswered::get, nanos::get, punctual);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private void fails(String message) {
        task.set(() -> {
            throw new IllegalStateException(message);
        });
        assertThatThrownBy(monitor::run).hasMessage(message);
    }

    @Test
    void beforeTheFirstCallNothingHasSucceeded() {
        assertThat(monitor.progress()).isEqualTo(ListenerProgress.NONE);
    }

    @Test
    void callThatSucceedsIsTimed() throws Exception {
        assertThat(monitor.run()).isEqualTo(SECOND);
        pass(Duration.ofMillis(300));

        assertThat(monitor.progress())
                .isEqualTo(new ListenerProgress(Duration.ofMillis(300), null, null, Duration.ZERO));
    }

    @Test
    void callWithoutReplyIsNoSuccessAndOverdue() throws Exception {
        monitor.run();
        unanswered.set(true);
        task.set(() -> ALWAYS);
        pass(Duration.ofMillis(400));
        monitor.run();
        pass(SECOND);
        monitor.run();

        assertThat(monitor.progress()).isEqualTo(new ListenerProgress(Duration.ofMillis(1400), null, null, SECOND));

        unanswered.set(false);
        monitor.run();

        assertThat(monitor.progress()).isEqualTo(new ListenerProgress(Duration.ZERO, null, null, Duration.ZERO));
    }

    @Test
    void failuresCountFromTheFirstOneInARow() throws Exception {
        monitor.run();
        pass(SECOND);
        fails("first");
        pass(SECOND);
        fails("second");
        pass(SECOND);

        ListenerProgress progress = monitor.progress();

        assertThat(progress.failingFor()).isEqualTo(SECOND.multipliedBy(2));
        assertThat(progress.failure()).hasMessage("second");
        assertThat(progress.sinceSuccess()).isEqualTo(SECOND.multipliedBy(3));
        assertThat(progress.overdueFor()).isZero();
    }

    @Test
    void successEndsFailing() throws Exception {
        fails("once");
        task.set(() -> SECOND);
        monitor.run();
        pass(SECOND);
        fails("again");

        assertThat(monitor.progress().failingFor()).isZero();
        task.set(() -> SECOND);
        monitor.run();
        assertThat(monitor.progress()).isEqualTo(new ListenerProgress(Duration.ZERO, null, null, Duration.ZERO));
    }

    @Test
    void missingCallIsOverdue() throws Exception {
        pass(SECOND);
        assertThat(monitor.progress().overdueFor()).isEqualTo(SECOND);
        monitor.run();
        pass(SECOND.multipliedBy(3));

        assertThat(monitor.progress().overdueFor()).isEqualTo(SECOND.multipliedBy(2));
    }

    @Test
    void pollerWithoutAssignmentIsNotOverdue() throws Exception {
        task.set(() -> ALWAYS);
        monitor.run();
        pass(Duration.ofDays(30));

        assertThat(monitor.progress()).isEqualTo(new ListenerProgress(Duration.ofDays(30), null, null, Duration.ZERO));
    }

    @Test
    void tasksThatAreRunByHandAreNeverOverdue() {
        TaskMonitor byHand = monitor(false);
        pass(Duration.ofDays(1));

        assertThat(byHand.progress()).isEqualTo(ListenerProgress.NONE);
    }
}
