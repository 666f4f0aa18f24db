package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.coordination.Step;
import io.delayqueue.listener.ListenerProgress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What is known of a step by its calls, in a time that stands still unless it is moved. */
class StepWatchTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration ALWAYS = Duration.ofDays(365);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // the monotonic clock may overflow
    private final AtomicReference<Step> step = new AtomicReference<>(() -> SECOND);
    private final AtomicBoolean unanswered = new AtomicBoolean();
    private final StepWatch watch = watch(true);

    private StepWatch watch(boolean punctual) {
        return new StepWatch(() -> step.get().step(), unanswered::get, nanos::get, punctual);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private void fails(String message) {
        step.set(() -> {
            throw new IllegalStateException(message);
        });
        assertThatThrownBy(watch::step).hasMessage(message);
    }

    @Test
    void beforeTheFirstCallNothingHasSucceeded() {
        assertThat(watch.progress()).isEqualTo(ListenerProgress.NONE);
    }

    @Test
    void callThatSucceedsIsTimed() throws Exception {
        assertThat(watch.step()).isEqualTo(SECOND);
        pass(Duration.ofMillis(300));

        assertThat(watch.progress()).isEqualTo(new ListenerProgress(Duration.ofMillis(300), null, null, Duration.ZERO));
    }

    @Test
    void callThatHasNoAnswerYetIsNoSuccessAndOverdueFromThenOn() throws Exception {
        watch.step();
        unanswered.set(true);
        step.set(() -> ALWAYS);
        pass(Duration.ofMillis(400));
        watch.step();
        pass(SECOND);
        watch.step();

        assertThat(watch.progress()).isEqualTo(new ListenerProgress(Duration.ofMillis(1400), null, null, SECOND));

        unanswered.set(false);
        watch.step();

        assertThat(watch.progress()).isEqualTo(new ListenerProgress(Duration.ZERO, null, null, Duration.ZERO));
    }

    @Test
    void failuresCountFromTheFirstOneInARow() throws Exception {
        watch.step();
        pass(SECOND);
        fails("first");
        pass(SECOND);
        fails("second");
        pass(SECOND);

        ListenerProgress progress = watch.progress();

        assertThat(progress.failingFor()).isEqualTo(SECOND.multipliedBy(2));
        assertThat(progress.failure()).hasMessage("second");
        assertThat(progress.sinceSuccess()).isEqualTo(SECOND.multipliedBy(3));
        assertThat(progress.overdueFor()).isZero();
    }

    @Test
    void successEndsFailing() throws Exception {
        fails("once");
        step.set(() -> SECOND);
        watch.step();
        pass(SECOND);
        fails("again");

        assertThat(watch.progress().failingFor()).isZero();
        step.set(() -> SECOND);
        watch.step();
        assertThat(watch.progress()).isEqualTo(new ListenerProgress(Duration.ZERO, null, null, Duration.ZERO));
    }

    @Test
    void callThatDoesNotComeIsOverdue() throws Exception {
        pass(SECOND);
        assertThat(watch.progress().overdueFor()).isEqualTo(SECOND);
        watch.step();
        pass(SECOND.multipliedBy(3));

        assertThat(watch.progress().overdueFor()).isEqualTo(SECOND.multipliedBy(2));
    }

    @Test
    void whoHasNothingToLookAfterIsNotOverdue() throws Exception {
        step.set(() -> ALWAYS);
        watch.step();
        pass(Duration.ofDays(30));

        assertThat(watch.progress()).isEqualTo(new ListenerProgress(Duration.ofDays(30), null, null, Duration.ZERO));
    }

    @Test
    void stepsThatAreCalledByHandAreNeverOverdue() {
        StepWatch byHand = watch(false);
        pass(Duration.ofDays(1));

        assertThat(byHand.progress()).isEqualTo(ListenerProgress.NONE);
    }
}
