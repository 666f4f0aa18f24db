package io.delayqueue.container.delivery;

import io.delayqueue.store.Settle;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** Takes answers and wishes for longer leases, and keeps them for the next step. Thread-safe; nothing here blocks. */
final class AnswerDesk implements DeliveryDesk {

    private final SettleBuffer answers;
    private final LeaseKeeper keeper;
    private final FailureJudge judge;
    private final RedisClock clock;
    private final LongSupplier nanoTime;
    private final Runnable onWork;

    AnswerDesk(
            SettleBuffer answers,
            LeaseKeeper keeper,
            FailureJudge judge,
            RedisClock clock,
            LongSupplier nanoTime,
            Runnable onWork) {
        this.answers = answers;
        this.keeper = keeper;
        this.judge = judge;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.onWork = onWork;
    }

    @Override
    public void answered(ClaimedDelivery delivery, Settle settle) {
        // first into the buffer, then out of the open ones: never in neither, so that a stop waits for it
        answers.add(new SettleBuffer.Entry(delivery, settle, nanoTime.getAsLong()));
        keeper.remove(delivery);
        onWork.run();
    }

    @Override
    public Settle retryOnDemand(ClaimedDelivery delivery, Duration delay) {
        return judge.onDemand(delivery, delay);
    }

    @Override
    public CompletableFuture<Boolean> extend(ClaimedDelivery delivery, Duration time) {
        if (delivery.isLost() || delivery.isAnswered()) {
            return CompletableFuture.completedFuture(false);
        }
        if (delivery.leaseDeadline() - nanoTime.getAsLong() >= time.toNanos()) {
            return CompletableFuture.completedFuture(true);
        }
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        keeper.extend(new LeaseKeeper.Extension(delivery, time, told));
        onWork.run();
        return told;
    }

    @Override
    public Instant wallClock(long nanos) {
        return clock.at(nanos);
    }

    @Override
    public boolean isPast(long nanos) {
        return nanoTime.getAsLong() - nanos >= 0;
    }
}
