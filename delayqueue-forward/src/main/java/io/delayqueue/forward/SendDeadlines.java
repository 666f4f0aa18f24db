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

    private static final Duration WHEN_IDLE = Duration.ofMinutes(1);

    /** Interval of repeated interrupts. A client may block again in its cleanup after an interrupt. */
    private static final Duration BETWEEN_INTERRUPTS = Duration.ofSeconds(1);

    private final LongSupplier nanoTime;
    private final AtomicLong sequence = new AtomicLong();
    private final ConcurrentSkipListSet<Watch> watched = new ConcurrentSkipListSet<>(
            Comparator.<Watch>comparingLong(watch -> watch.deadline).thenComparingLong(watch -> watch.number));
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
    public void wakeBy(@Nullable TaskHandle handle) {
        this.handle = handle;
    }

    @Override
    public Duration run() {
        long now = nanoTime.getAsLong();
        for (Watch watch = first(); watch != null; watch = first()) {
            long left = watch.deadline - now;
            if (left > 0) {
                return Duration.ofNanos(Math.min(left, WHEN_IDLE.toNanos()));
            }
            watch.expire(now);
        }
        return WHEN_IDLE;
    }

    private @Nullable Watch first() {
        Iterator<Watch> each = watched.iterator();
        return each.hasNext() ? each.next() : null;
    }

    /** Registers a send that the calling thread is about to start. */
    Watch watch(Duration timeout, Supplier<? extends Exception> late) {
        Watch watch = new Watch(nanoTime.getAsLong() + timeout.toNanos(), Thread.currentThread(), late);
        watched.add(watch);
        TaskHandle task = handle;
        if (task != null) {
            task.wakeWithin(timeout);
        }
        return watch;
    }

    int size() {
        return watched.size();
    }

    /** A registered send. */
    final class Watch {

        private final long number = sequence.incrementAndGet();
        private final Supplier<? extends Exception> late;
        private final CompletableFuture<Void> result = new CompletableFuture<>();
        private long deadline; // must not change while this send is in the set that is sorted by it
        private @Nullable Thread sender;
        private boolean interrupted;

        private Watch(long deadline, Thread sender, Supplier<? extends Exception> late) {
            this.deadline = deadline;
            this.sender = sender;
            this.late = late;
        }

        /** Completes when the send is confirmed, has failed, or has timed out. */
        CompletableFuture<Void> result() {
            return result;
        }

        /** Ends the interrupts after the sender's call has returned, and clears the interrupt status of its thread. */
        synchronized void senderIsBack() {
            sender = null;
            if (interrupted) {
                watched.remove(this);
                Thread.interrupted();
            }
        }

        void end(@Nullable Throwable failure) {
            forget();
            if (failure == null) {
                result.complete(null);
            } else {
                result.completeExceptionally(failure);
            }
        }

        /** Removes the send. After an interrupt, it stays registered until the sender's call returns. */
        private synchronized void forget() {
            if (!interrupted) {
                watched.remove(this);
            }
        }

        private void expire(long now) {
            if (!watched.remove(this)) {
                return;
            }
            boolean isLate;
            try {
                isLate = !result.isDone() && result.completeExceptionally(late.get());
            } catch (RuntimeException | Error e) {
                watched.add(this);
                throw e;
            }
            synchronized (this) {
                if (sender != null && (isLate || interrupted)) {
                    interrupted = true;
                    sender.interrupt();
                    deadline = now + BETWEEN_INTERRUPTS.toNanos();
                    watched.add(this);
                }
            }
        }
    }
}
