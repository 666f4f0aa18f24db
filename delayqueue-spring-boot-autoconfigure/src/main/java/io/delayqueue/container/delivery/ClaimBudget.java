package io.delayqueue.container.delivery;

import io.delayqueue.coordination.StepScheduler.StepHandle;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.store.StepRequest;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What the pollers of one listener may claim together: as many as are handled at once, and what is claimed ahead. A poller
 * that is alone in knowing of due messages may have all of it; several share it evenly, and who finds nothing left is
 * served before those who come back for more. Thread-safe.
 */
public final class ClaimBudget {

    private static final int MAX_WAITING_BYTES = 8 * StepRequest.MAX_BYTES;

    private final int handled;
    private final PrefetchPolicy prefetch;
    private final Duration linger;
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger wanting = new AtomicInteger();
    private final Queue<Share> refused = new ConcurrentLinkedQueue<>();

    /**
     * For one listener.
     *
     * @param prefetch how much may be claimed ahead
     * @param linger how long a poller is left to wait while little is free
     */
    public ClaimBudget(ListenerOptions options, PrefetchPolicy prefetch, Duration linger) {
        this(options.concurrency() * options.batchSize(), prefetch, linger);
    }

    ClaimBudget(int handled, PrefetchPolicy prefetch, Duration linger) {
        this.handled = handled;
        this.prefetch = prefetch;
        this.linger = linger;
    }

    /** For one more poller. */
    Share share() {
        return new Share();
    }

    private int free() {
        return handled + prefetch.allowed() - taken.get();
    }

    /** Of so much, what falls to each of those who want some. */
    private int evenly(int whole) {
        int among = Math.max(1, wanting.get());
        return (whole + among - 1) / among;
    }

    /** Has the first one called that may have some; who holds his part already stands in nobody's way. */
    private void wakeFirst(@Nullable Share but) {
        int part = evenly(handled + prefetch.allowed());
        for (Share share : refused) {
            if (share.mine.get() < part) {
                if (share != but) {
                    wake(share, part);
                }
                return;
            }
        }
    }

    private void wake(Share share, int part) {
        StepHandle step = share.step;
        int free = free();
        if (step != null && free > 0) {
            if (2 * free >= part) {
                step.wake();
            } else {
                step.wakeWithin(linger);
            }
        }
    }

    /** What one poller has of it. Claims and requests for some belong to its step, the rest to any thread. */
    final class Share {

        private final AtomicInteger mine = new AtomicInteger();
        private final AtomicBoolean queued = new AtomicBoolean();
        private volatile @Nullable StepHandle step;
        private boolean wants;
        private int reserved;

        /** By which it is called when something becomes free for it. */
        void attach(StepHandle handle) {
            step = handle;
        }

        /** How many deliveries may be claimed now. */
        int capacity() {
            int whole = handled + prefetch.allowed();
            int part = evenly(whole);
            int free = whole - taken.get() - ahead(part);
            return Math.max(0, Math.min(free, part - mine.get()));
        }

        /** How many were refused before this one and hold less than their part. */
        private int ahead(int part) {
            int count = 0;
            for (Share other : refused) {
                if (other == this) {
                    break;
                }
                count += other.mine.get() < part ? 1 : 0;
            }
            return count;
        }

        /** How many may wait here for a worker before more are claimed. */
        int prefetched() {
            return evenly(prefetch.allowed());
        }

        /** How many bytes may wait here for a worker before no more are claimed. */
        int bytes() {
            return Math.max(StepRequest.MAX_BYTES, evenly(MAX_WAITING_BYTES));
        }

        /** Sets aside what a request under way may bring. */
        int reserve(int most) {
            synchronized (ClaimBudget.this) {
                int granted = Math.min(most, capacity());
                reserved += granted;
                mine.addAndGet(granted);
                taken.addAndGet(granted);
                if (granted > 0 && leave()) {
                    wakeFirst(null);
                }
                return granted;
            }
        }

        /** The request was answered, and its claims were added; or it may take longer than others should wait. */
        void endReservation() {
            int unused = reserved;
            reserved = 0;
            if (unused > 0) {
                freed(unused);
            }
        }

        /** So many were claimed. */
        void claimed(int count) {
            mine.addAndGet(count);
            taken.addAndGet(count);
        }

        /** So many are not open any more. */
        void freed(int count) {
            mine.addAndGet(-count);
            taken.addAndGet(-count);
            wakeFirst(this);
        }

        /**
         * Says whether it knows of due messages that it would claim.
         *
         * @return its capacity. If it wants some and there is none, it is called when there is; to ask for the capacity
         *     apart from this would miss what others take in between
         */
        int wants(boolean some) {
            if (some != wants) {
                wants = some;
                wanting.addAndGet(some ? 1 : -1);
                if (!some) {
                    leave();
                    wakeFirst(this); // the part of each of the others has grown
                }
            }
            if (!some) {
                return capacity();
            }
            int capacity = capacity();
            if (capacity == 0 && queued.compareAndSet(false, true)) {
                refused.add(this);
                return capacity(); // what was freed before it was in the queue called nobody
            }
            return capacity;
        }

        /** Returns whether it was in the queue. */
        private boolean leave() {
            return queued.compareAndSet(true, false) && refused.remove(this);
        }
    }
}
