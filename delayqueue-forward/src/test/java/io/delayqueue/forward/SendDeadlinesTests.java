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
    void confirmedSendIsNoLongerPending() {
        SendDeadlines.PendingSend send = register();
        send.callReturned();
        send.complete(null);

        assertThat(send.result()).isCompleted();
        assertThat(deadlines.size()).isZero();
    }

    @Test
    void taskRunsAgainAtTheFirstDeadline() {
        register();
        pass(TIMEOUT.minusSeconds(10));
        register();

        assertThat(deadlines.run()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void sendFailsAfterItsTimeout() {
        SendDeadlines.PendingSend send = register();
        send.callReturned();
        pass(TIMEOUT);

        assertThat(deadlines.run()).isPositive();
        assertThatThrownBy(send.result()::join).hasCauseInstanceOf(ForwardException.class);
        assertThat(deadlines.size()).isZero();
        send.complete(null);
        assertThat(send.result()).isCompletedExceptionally();
    }

    @Test
    void sendStaysPendingIfItsFailureCannotBeCreated() {
        AtomicBoolean full = new AtomicBoolean(true);
        SendDeadlines.PendingSend send = deadlines.register(TIMEOUT, () -> {
            if (full.getAndSet(false)) {
                throw new OutOfMemoryError("for the test");
            }
            return new ForwardException("late");
        });
        send.callReturned();
        pass(TIMEOUT);

        assertThatThrownBy(deadlines::run).isInstanceOf(OutOfMemoryError.class);
        deadlines.run();

        assertThat(send.result()).isCompletedExceptionally();
        assertThat(deadlines.size()).isZero();
    }

    @Test
    void senderIsInterruptedUntilItsCallReturns() throws Exception {
        CompletableFuture<SendDeadlines.PendingSend> registered = new CompletableFuture<>();
        CountDownLatch never = new CountDownLatch(1);
        CompletableFuture<Boolean> interruptedAfterwards = new CompletableFuture<>();
        Thread sender = new Thread(() -> {
            SendDeadlines.PendingSend send = register();
            registered.complete(send);
            awaitInterrupt(never);
            awaitInterrupt(never);
            send.callReturned();
            interruptedAfterwards.complete(Thread.currentThread().isInterrupted());
        });
        sender.start();
        SendDeadlines.PendingSend send = registered.get(60, TimeUnit.SECONDS);

        pass(TIMEOUT);
        while (sender.isAlive()) {
            deadlines.run();
            pass(Duration.ofSeconds(1));
        }

        assertThat(send.result()).isCompletedExceptionally();
        assertThat(interruptedAfterwards.get(60, TimeUnit.SECONDS)).isFalse();
        assertThat(deadlines.size()).isZero();
    }

    private static void awaitInterrupt(CountDownLatch never) {
        try {
            never.await();
        } catch (InterruptedException asExpected) {
            // and the flag is cleared
        }
    }

    private SendDeadlines.PendingSend register() {
        return deadlines.register(TIMEOUT, () -> new ForwardException("late"));
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }
}
