package io.delayqueue.container.delivery;

import io.delayqueue.store.Settle;
import io.delayqueue.store.StepReply;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes answers and wishes for longer leases, keeps them for the next step, and tells what became of them. Thread-safe;
 * nothing here blocks.
 */
final class AnswerDesk implements DeliveryDesk {

    private final SettleBuffer answers;
    private final LeaseKeeper keeper;
    private final FailureJudge judge;
    private final RedisClock clock;
    private final LongSupplier nanoTime;
    private final Executor tellers;
    private final Runnable onWork;
    private volatile boolean closed;

    /**
     * Over one consumer's answers.
     *
     * @param tellers where futures are completed that somebody's code depends on
     * @param onWork called when there is something for the next step
     */
    AnswerDesk(
            SettleBuffer answers,
            LeaseKeeper keeper,
            FailureJudge judge,
            RedisClock clock,
            LongSupplier nanoTime,
            Executor tellers,
            Runnable onWork) {
        this.answers = answers;
        this.keeper = keeper;
        this.judge = judge;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.tellers = tellers;
        this.onWork = onWork;
    }

    @Override
    public void answered(ClaimedDelivery delivery, Settle settle, @Nullable Throwable failure) {
        // first into the buffer, then out of the open ones: never in neither, so that a stop waits for it
        answers.add(new SettleBuffer.Entry(delivery, settle, nanoTime.getAsLong(), failure));
        keeper.remove(delivery);
        onWork.run();
        failIfClosed();
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
        failIfClosed();
        return told;
    }

    /** A step brought Redis' word on answers and renewals. */
    void answered(InFlight flight, StepReply reply, PollerEvents events) {
        for (LeaseKeeper.Due due : flight.renewals()) {
            if (due.told() != null) {
                tell(due.told(), !due.delivery().isLost());
            }
        }
        Set<Object> gone = InFlight.identities(reply.gone());
        for (SettleBuffer.Entry entry : flight.settles()) {
            boolean accepted = !gone.contains(entry.settle());
            CompletableFuture<Boolean> waiting = entry.delivery().heard(accepted);
            if (waiting != null) {
                tell(waiting, accepted);
            }
            events.settled(entry, accepted, reply.nowMicros());
        }
    }

    private void tell(CompletableFuture<Boolean> future, boolean accepted) {
        complete(future, () -> future.complete(accepted));
    }

    /** No step follows: whoever waits for Redis' word, now or later, is told that it doesn't come. */
    void close() {
        closed = true;
        failIfClosed();
    }

    private void failIfClosed() {
        if (closed) {
            answers.takeAll().forEach(entry -> fail(entry.delivery().told()));
            keeper.takeExtensions().forEach(extension -> fail(extension.told()));
        }
    }

    /** The same for what was sent and not answered. */
    void abandon(InFlight flight) {
        flight.settles().forEach(entry -> fail(entry.delivery().told()));
        for (LeaseKeeper.Due due : flight.renewals()) {
            if (due.told() != null) {
                fail(due.told());
            }
        }
    }

    private void fail(CompletableFuture<Boolean> future) {
        IllegalStateException why =
                new IllegalStateException("The delay queue's engine was closed before Redis had answered");
        complete(future, () -> future.completeExceptionally(why));
    }

    /** What users hang on a future may block, which a step must not. */
    private void complete(CompletableFuture<Boolean> future, Runnable completion) {
        if (future.getNumberOfDependents() == 0) {
            completion.run();
            return;
        }
        try {
            tellers.execute(completion);
        } catch (RuntimeException | Error refused) {
            completion.run();
        }
    }

    @Override
    public long latenessNanos(long dueMillis) {
        return -clock.nanosUntil(dueMillis);
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
