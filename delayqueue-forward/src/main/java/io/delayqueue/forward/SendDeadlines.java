package io.delayqueue.forward;

import io.delayqueue.Internal;
import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import java.time.Duration;
import java.util.Comparator;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Fails sends that exceed their timeout, so that an unresponsive broker does not hold the permits of a listener. Runs
 * as a periodic task of the engine, so that no thread waits. Thread-safe.
 */
@Internal
public final class SendDeadlines implements PeriodicTask {

    private static final Duration IDLE_INTERVAL = Duration.ofMinutes(1);

    /** Interval of repeated interrupts. A client may block again in its cleanup after an interrupt. */
    private static final Duration INTERRUPT_INTERVAL = Duration.ofSeconds(1);

    private final LongSupplier nanoTime;
    private final AtomicLong sequence = new AtomicLong();
    private final ConcurrentSkipListSet<PendingSend> pending = new ConcurrentSkipListSet<>(
            Comparator.<PendingSend>comparingLong(send -> send.deadline).thenComparingLong(send -> send.number));
    private volatile @Nullable TaskHandle handle;

    /**
     * Creates an instance without sends.
     *
     * @param nanoTime monotonic clock, in ns
     */
    public SendDeadlines(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Sets the handle that runs this task earlier than scheduled; null while the task is not scheduled. */
    public void setHandle(@Nullable TaskHandle handle) {
        this.handle = handle;
    }

    @Override
    public Duration run() {
        long now = nanoTime.getAsLong();
        for (PendingSend send = first(); send != null; send = first()) {
            long left = send.deadline - now;
            if (left > 0) {
                return Duration.ofNanos(Math.min(left, IDLE_INTERVAL.toNanos()));
            }
            send.expire(now);
        }
        return IDLE_INTERVAL;
    }

    private @Nullable PendingSend first() {
        Iterator<PendingSend> each = pending.iterator();
        return each.hasNext() ? each.next() : null;
    }

    /**
     * Registers a send that the calling thread is about to start.
     *
     * @param timeoutFailure creates the failure of the send if it exceeds the timeout
     */
    PendingSend register(Duration timeout, Supplier<? extends Exception> timeoutFailure) {
        PendingSend send =
                new PendingSend(nanoTime.getAsLong() + timeout.toNanos(), Thread.currentThread(), timeoutFailure);
        pending.add(send);
        TaskHandle task = handle;
        if (task != null) {
            task.wakeWithin(timeout);
        }
        return send;
    }

    int size() {
        return pending.size();
    }

    /** A registered send. */
    final class PendingSend {

        private final long number = sequence.incrementAndGet();
        private final Supplier<? extends Exception> timeoutFailure;
        private final CompletableFuture<Void> result = new CompletableFuture<>();
        private long deadline; // must not change while this send is in the set that is sorted by it
        private @Nullable Thread sender;
        private boolean interrupted;

        private PendingSend(long deadline, Thread sender, Supplier<? extends Exception> timeoutFailure) {
            this.deadline = deadline;
            this.sender = sender;
            this.timeoutFailure = timeoutFailure;
        }

        /** Completes when the send is confirmed, has failed, or has timed out. */
        CompletableFuture<Void> result() {
            return result;
        }

        /** Ends the interrupts, because the call to the client has returned. Clears the interrupt status of the thread. */
        synchronized void callReturned() {
            sender = null;
            if (interrupted) {
                pending.remove(this);
                Thread.interrupted();
            }
        }

        void complete(@Nullable Throwable failure) {
            unregister();
            if (failure == null) {
                result.complete(null);
            } else {
                result.completeExceptionally(failure);
            }
        }

        /** Removes the send. After an interrupt, it stays registered until the call to the client returns. */
        private synchronized void unregister() {
            if (!interrupted) {
                pending.remove(this);
            }
        }

        private void expire(long now) {
            if (!pending.remove(this)) {
                return;
            }
            boolean timedOut;
            try {
                timedOut = !result.isDone() && result.completeExceptionally(timeoutFailure.get());
            } catch (RuntimeException | Error e) {
                pending.add(this);
                throw e;
            }
            synchronized (this) {
                if (sender != null && (timedOut || interrupted)) {
                    interrupted = true;
                    sender.interrupt();
                    deadline = now + INTERRUPT_INTERVAL.toNanos();
                    pending.add(this);
                }
            }
        }
    }
}
