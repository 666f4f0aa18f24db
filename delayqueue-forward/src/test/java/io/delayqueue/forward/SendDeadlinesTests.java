package io.delayqueue.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SendDeadlinesTests {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final SendDeadlines deadlines = new SendDeadlines(now::get);

    @Test
    void whatIsConfirmedIsWatchedNoMore() {
        SendDeadlines.Watch watch = watch();
        watch.senderIsBack();
        watch.end(null);

        assertThat(watch.result()).isCompleted();
        assertThat(deadlines.size()).isZero();
    }

    @Test
    void taskRunsWhenTheFirstOneIsLate() {
        watch();
        pass(TIMEOUT.minusSeconds(10));
        watch();

        assertThat(deadlines.run()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void whatIsLateEndsBadly() {
        SendDeadlines.Watch watch = watch();
        watch.senderIsBack();
        pass(TIMEOUT);

        assertThat(deadlines.run()).isPositive();
        assertThatThrownBy(watch.result()::join).hasCauseInstanceOf(ForwardException.class);
        assertThat(deadlines.size()).isZero();
        watch.end(null);
        assertThat(watch.result()).isCompletedExceptionally();
    }

    @Test
    void whatCouldNotBeToldIsWatchedOn() {
        AtomicBoolean full = new AtomicBoolean(true);
        SendDeadlines.Watch watch = deadlines.watch(TIMEOUT, () -> {
            if (full.getAndSet(false)) {
                throw new OutOfMemoryError("for the test");
            }
            return new ForwardException("late");
        });
        watch.senderIsBack();
        pass(TIMEOUT);

        assertThatThrownBy(deadlines::run).isInstanceOf(OutOfMemoryError.class);
        deadlines.run();

        assertThat(watch.result()).isCompletedExceptionally();
        assertThat(deadlines.size()).isZero();
    }

    @Test
    void senderIsInterruptedUntilItIsBack() throws Exception {
        CompletableFuture<SendDeadlines.Watch> watched = new CompletableFuture<>();
        CountDownLatch never = new CountDownLatch(1);
        CompletableFuture<Boolean> interruptedAfterwards = new CompletableFuture<>();
        Thread sender = new Thread(() -> {
            SendDeadlines.Watch watch = watch();
            watched.complete(watch);
            awaitInterrupt(never);
            awaitInterrupt(never);
            watch.senderIsBack();
            interruptedAfterwards.complete(Thread.currentThread().isInterrupted());
        });
        sender.start();
        SendDeadlines.Watch watch = watched.get(20, TimeUnit.SECONDS);

        pass(TIMEOUT);
        while (sender.isAlive()) {
            deadlines.run();
            pass(Duration.ofSeconds(1));
        }

        assertThat(watch.result()).isCompletedExceptionally();
        assertThat(interruptedAfterwards.get(20, TimeUnit.SECONDS)).isFalse();
        assertThat(deadlines.size()).isZero();
    }

    private static void awaitInterrupt(CountDownLatch never) {
        try {
            never.await();
        } catch (InterruptedException asExpected) {
            // and the flag is cleared
        }
    }

    private SendDeadlines.Watch watch() {
        return deadlines.watch(TIMEOUT, () -> new ForwardException("late"));
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }
}
