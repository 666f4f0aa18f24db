package io.delayqueue.container;

import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.store.PollRequest;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits the open deliveries of all pollers of one listener: the number handled at once plus the number claimed in
 * advance. Pollers that are aware of due messages share the budget evenly; a single one may use all of it. Free
 * capacity goes first to pollers that wait for it and hold less than their part, in the order in which they began to
 * wait.
 *
 * <p>As many deliveries are claimed in advance as the workers handle in 250 ms, by a moving average of the handling
 * time, up to the listener's prefetch. Slow handlers thus leave messages to other nodes.
 *
 * <p>Thread-safe: one monitor guards the shares and their sums. Tasks are woken inside the monitor; waking takes the
 * lock of the task but runs no other code. The measured handling time is volatile instead: workers record it without
 * the monitor, and a lost measurement does no harm.
 */
final class ClaimBudget {

    private static final int MAX_WAITING_BYTES = 8 * PollRequest.MAX_BYTES;

    private static final double AHEAD = Duration.ofMillis(250).toNanos();
    private static final double WEIGHT = 0.1;

    private final int handled;
    private final int maxPrefetch;
    private final Duration linger;
    private volatile double nanosPerMessage = -1;
    private volatile boolean stalled;
    private final Set<Share> waiting = new LinkedHashSet<>();
    private int taken;
    private int wanting;

    /**
     * Creates the budget of a listener. If messages have a single attempt, nothing is claimed in advance: a killed
     * process uses up one attempt of each claimed message, so messages that no handler received would be dead-lettered.
     *
     * @param linger maximum wait of a poller for more capacity if less than half of its part is free
     */
    ClaimBudget(ListenerOptions options, Duration linger) {
        this(options.concurrency() * options.batchSize(), options.maxAttempts() == 1 ? 0 : options.prefetch(), linger);
    }

    ClaimBudget(int handled, int maxPrefetch, Duration linger) {
        this.handled = handled;
        this.maxPrefetch = maxPrefetch;
        this.linger = linger;
    }

    /** Records the duration of one handler call. */
    void handled(long nanos, int messages) {
        double measured = Math.max(1, (double) nanos / messages);
        double before = nanosPerMessage;
        stalled = false;
        nanosPerMessage = before < 0 ? measured : before + WEIGHT * (measured - before);
    }

    /** Records that waiting deliveries were released. Nothing is claimed in advance until a handler call ends. */
    void released() {
        stalled = true;
    }

    /** Number of deliveries that all pollers together may claim in advance. */
    int prefetch() {
        if (stalled) {
            return 0;
        }
        double measured = nanosPerMessage;
        return (int) Math.min(maxPrefetch, measured < 0 ? handled : handled * AHEAD / measured);
    }

    /**
     * Creates the share of one more poller.
     *
     * @param task woken when capacity becomes free
     */
    Share share(TaskHandle task) {
        return new Share(task);
    }

    private int whole() {
        return handled + prefetch();
    }

    /** Divides a number evenly among the shares that want messages, rounded up. */
    private int evenly(int whole) {
        int among = Math.max(1, wanting);
        return (whole + among - 1) / among;
    }

    /** Wakes the first waiting share, other than {@code except}, that holds less than its part. */
    private void wakeFirst(@Nullable Share except) {
        int whole = whole();
        int part = evenly(whole);
        for (Share share : waiting) {
            if (share.mine < part) {
                if (share != except) {
                    wake(share, whole - taken, part);
                }
                return;
            }
        }
    }

    private void wake(Share share, int free, int part) {
        if (2 * free >= part) {
            share.task.wake();
        } else if (free > 0) {
            share.task.wakeWithin(linger);
        }
    }

    /** The part of one poller. The poller's task reserves and requests; any thread may free. */
    final class Share {

        private final TaskHandle task;
        private int mine;
        private boolean wants;
        private int reserved;
        private boolean closed;

        private Share(TaskHandle task) {
            this.task = task;
        }

        /** Number of deliveries that this poller may claim now. */
        int capacity() {
            synchronized (ClaimBudget.this) {
                int whole = whole();
                int part = evenly(whole);
                return closed ? 0 : Math.max(0, Math.min(whole - taken - ahead(part), part - mine));
            }
        }

        /** Number of shares that wait longer than this one and hold less than their part. */
        private int ahead(int part) {
            int count = 0;
            for (Share other : waiting) {
                if (other == this) {
                    break;
                }
                count += other.mine < part ? 1 : 0;
            }
            return count;
        }

        /** Number of deliveries that this poller may claim in advance. */
        int prefetched() {
            synchronized (ClaimBudget.this) {
                return evenly(prefetch());
            }
        }

        /** Number of waiting bytes above which this poller claims nothing. */
        int bytes() {
            synchronized (ClaimBudget.this) {
                return Math.max(PollRequest.MAX_BYTES, evenly(MAX_WAITING_BYTES));
            }
        }

        /** Reserves capacity for a poll, up to {@code most}, and returns the reserved number. */
        int reserve(int most) {
            synchronized (ClaimBudget.this) {
                int granted = Math.min(most, capacity());
                reserved += granted;
                claimed(granted);
                if (granted > 0 && waiting.remove(this)) {
                    wakeFirst(null);
                }
                return granted;
            }
        }

        /** Frees the reservation. Called when the claims of the reply were added, or the reply takes too long. */
        void endReservation() {
            synchronized (ClaimBudget.this) {
                int unused = reserved;
                reserved = 0;
                if (unused > 0) {
                    freed(unused);
                }
            }
        }

        /** Records claimed deliveries. */
        void claimed(int count) {
            synchronized (ClaimBudget.this) {
                if (!closed) {
                    mine += count;
                    taken += count;
                }
            }
        }

        /** Records deliveries that are no longer open. */
        void freed(int count) {
            synchronized (ClaimBudget.this) {
                if (!closed) {
                    mine -= count;
                    taken -= count;
                    wakeFirst(this);
                }
            }
        }

        /** Closes the share: frees all that it holds, and permits no further claims. Later calls have no effect. */
        void close() {
            synchronized (ClaimBudget.this) {
                wants(false);
                freed(mine);
                closed = true;
            }
        }

        /**
         * Sets whether this poller is aware of due messages that it could claim.
         *
         * @return its capacity; if it wants messages and the capacity is 0, its task is woken when capacity becomes
         *     free
         */
        int wants(boolean some) {
            synchronized (ClaimBudget.this) {
                if (some != wants && !closed) {
                    wants = some;
                    wanting += some ? 1 : -1;
                    if (!some) {
                        waiting.remove(this);
                        wakeFirst(this); // the parts of the other shares have grown
                    }
                }
                int capacity = capacity();
                if (some && capacity == 0 && !closed) {
                    waiting.add(this);
                }
                return capacity;
            }
        }
    }
}
