package io.delayqueue.forward;

import io.delayqueue.coordination.Step;
import io.delayqueue.coordination.StepScheduler.StepHandle;
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
 * Ends sends that a broker neither confirms nor refuses, so that one that hangs holds no permit for ever. A step of the
 * engine: nobody's thread waits. Thread-safe.
 */
public final class SendDeadlines implements Step {

    private static final Duration WHEN_IDLE = Duration.ofMinutes(1);

    /** A client may wait anew when it clears up after what was interrupted. */
    private static final Duration BETWEEN_INTERRUPTS = Duration.ofSeconds(1);

    private final LongSupplier nanoTime;
    private final AtomicLong sequence = new AtomicLong();
    private final ConcurrentSkipListSet<Watch> watched = new ConcurrentSkipListSet<>(
            Comparator.<Watch>comparingLong(watch -> watch.deadline).thenComparingLong(watch -> watch.number));
    private volatile @Nullable StepHandle handle;

    /**
     * Without anything to watch.
     *
     * @param nanoTime the monotonic clock
     */
    public SendDeadlines(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Says by what the step is called earlier. */
    public void wakeBy(@Nullable StepHandle handle) {
        this.handle = handle;
    }

    @Override
    public Duration step() {
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

    /** Watches a send that the calling thread is about to make. */
    Watch watch(Duration timeout, Supplier<? extends Exception> late) {
        Watch watch = new Watch(nanoTime.getAsLong() + timeout.toNanos(), Thread.currentThread(), late);
        watched.add(watch);
        StepHandle step = handle;
        if (step != null) {
            step.wakeWithin(timeout);
        }
        return watch;
    }

    int size() {
        return watched.size();
    }

    /** A send that is watched. */
    final class Watch {

        private final long number = sequence.incrementAndGet();
        private final Supplier<? extends Exception> late;
        private final CompletableFuture<Void> result = new CompletableFuture<>();
        private long deadline; // changes only while it is not among those that are sorted by it
        private @Nullable Thread sender;
        private boolean interrupted;

        private Watch(long deadline, Thread sender, Supplier<? extends Exception> late) {
            this.deadline = deadline;
            this.sender = sender;
            this.late = late;
        }

        /** Ends when the send is confirmed, has failed, or is late. */
        CompletableFuture<Void> result() {
            return result;
        }

        /** The sender's thread is back: it is interrupted no more, and forgets that it was. */
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

        /** Whose sender was interrupted is watched until that is back. */
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
