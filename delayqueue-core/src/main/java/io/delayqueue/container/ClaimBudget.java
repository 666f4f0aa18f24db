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
 * capacity goes first to pollers that wait for it and hold less than their fair share, in the order in which they
 * began to wait.
 *
 * <p>As many deliveries are claimed in advance as the workers handle in 250 ms, by a moving average of the handling
 * time, up to the listener's prefetch. Slow handlers thus leave messages to other nodes. Nothing is claimed in advance
 * while a poller meets messages that have crashed, or the topic has limits: these are claimed only for free handlers. This holds for all pollers,
 * because the others would take each handler that becomes free. While a {@link Circuit} is half-open, one delivery at a time is
 * claimed as a probe, in addition to those that were held before.
 *
 * <p>Thread-safe: one monitor guards the shares and their sums. Tasks are woken inside the monitor; waking takes the
 * lock of the task but runs no other code. The measured handling time is volatile instead: workers record it without
 * the monitor, and a lost measurement does no harm.
 */
final class ClaimBudget {

    private static final int MAX_WAITING_BYTES = 8 * PollRequest.MAX_BYTES;

    private static final double PREFETCH_NANOS = Duration.ofMillis(250).toNanos();
    private static final double WEIGHT = 0.1;

    private final int handledAtOnce;
    private final int maxPrefetch;
    private final Duration linger;
    private volatile double nanosPerMessage = -1;
    private volatile boolean stalled;
    private final Set<Share> waiting = new LinkedHashSet<>();
    private int shares;
    private int heldByAll;
    private int wanting;
    /** Number of shares that claim nothing in advance. */
    private int unadvanced;

    private boolean probing;
    /** Number of the period in which the circuit is half-open, and the deliveries reserved or claimed in it. */
    private int period;

    private int probes;

    /**
     * Creates the budget of a listener.
     *
     * @param linger maximum wait of a poller for more capacity if less than half of its fair share is free
     */
    ClaimBudget(ListenerOptions options, Duration linger) {
        this(options.concurrency() * options.batchSize(), options.prefetch(), linger);
    }

    ClaimBudget(int handledAtOnce, int maxPrefetch, Duration linger) {
        this.handledAtOnce = handledAtOnce;
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

    /** Number of deliveries that all pollers together may claim in advance. */
    int prefetch() {
        if (stalled || unadvanced > 0) {
            return 0;
        }
        double measured = nanosPerMessage;
        return (int) Math.min(maxPrefetch, measured < 0 ? handledAtOnce : handledAtOnce * PREFETCH_NANOS / measured);
    }

    /**
     * Creates the share of one more poller.
     *
     * @param task woken when capacity becomes free
     */
    Share share(TaskHandle task) {
        synchronized (this) {
            shares++;
        }
        return new Share(task);
    }

    /** Sets whether one delivery at a time is claimed, as a probe. */
    void probe(boolean one) {
        synchronized (this) {
            if (one != probing) {
                probing = one;
                probes = 0;
                period++;
                wakeFirst(null);
            }
        }
    }

    /** Number of deliveries that all pollers together may hold. */
    private int limit() {
        return handledAtOnce + prefetch();
    }

    /** Divides a number evenly among the shares that want messages, rounded up. */
    private int evenly(int number) {
        int among = Math.max(1, wanting);
        return (number + among - 1) / among;
    }

    /** Wakes the first waiting share, other than {@code except}, that holds less than its fair share. */
    private void wakeFirst(@Nullable Share except) {
        if (probing) {
            if (probes == 0 && !waiting.isEmpty()) {
                waiting.iterator().next().task.wake();
            }
            return;
        }
        int limit = limit();
        int fairShare = evenly(limit);
        for (Share share : waiting) {
            if (share.held < fairShare) {
                if (share != except) {
                    wake(share, limit - heldByAll, fairShare);
                }
                return;
            }
        }
    }

    private void wake(Share share, int free, int fairShare) {
        if (2 * free >= fairShare) {
            share.task.wake();
        } else if (free > 0) {
            share.task.wakeWithin(linger);
        }
    }

    /** What one poller holds. The poller's task reserves and requests; any thread may free. */
    final class Share {

        private final TaskHandle task;
        private int held;
        private boolean wants;
        private int reserved;
        private int reservedIn;
        private boolean nothingInAdvance;
        private boolean closed;

        private Share(TaskHandle task) {
            this.task = task;
        }

        /** Whether another poller has a share, too. */
        boolean isShared() {
            synchronized (ClaimBudget.this) {
                return shares > 1;
            }
        }

        /** Number of deliveries that this poller may claim now. */
        int capacity() {
            synchronized (ClaimBudget.this) {
                if (probing) {
                    return closed || probes > 0 ? 0 : 1;
                }
                int limit = limit();
                int fairShare = evenly(limit);
                // one delivery is left for each share ahead
                int free = limit - heldByAll - sharesAhead(fairShare);
                return closed ? 0 : Math.max(0, Math.min(free, fairShare - held));
            }
        }

        /** Number of shares that wait longer than this one and hold less than their fair share. */
        private int sharesAhead(int fairShare) {
            int count = 0;
            for (Share other : waiting) {
                if (other == this) {
                    break;
                }
                count += other.held < fairShare ? 1 : 0;
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
                reservedIn = period;
                hold(granted);
                probes += granted;
                if (granted > 0 && waiting.remove(this)) {
                    wakeFirst(null);
                }
                return granted;
            }
        }

        /** Number of reserved deliveries for which handlers are free. */
        int handlers() {
            synchronized (ClaimBudget.this) {
                return Math.max(0, Math.min(reserved, handledAtOnce - heldByAll + reserved));
            }
        }

        /** Sets whether the messages of this poller are claimed only for free handlers. */
        void claimsNothingInAdvance(boolean nothing) {
            synchronized (ClaimBudget.this) {
                if (nothing != nothingInAdvance && !closed) {
                    nothingInAdvance = nothing;
                    unadvanced += nothing ? 1 : -1;
                    if (!nothing) {
                        wakeFirst(this); // the limit has grown
                    }
                }
            }
        }

        /** Frees the reservation. Called when the claims of the reply were added, or the reply takes too long. */
        void endReservation() {
            synchronized (ClaimBudget.this) {
                int unused = reserved;
                reserved = 0;
                probeEnds(unused, reservedIn);
                if (unused > 0) {
                    freed(unused);
                }
            }
        }

        /** Records claimed deliveries, which {@link #reserve} permitted, and returns the period of that reservation. */
        int claimed(int count) {
            synchronized (ClaimBudget.this) {
                hold(count);
                probes += reservedIn == period ? count : 0;
                return reservedIn;
            }
        }

        /** Records that waiting deliveries were released. Nothing is claimed in advance until a handler call ends. */
        void released() {
            stalled = true;
        }

        /** Records that a delivery of a period is no longer open. */
        void end(int claimedIn) {
            synchronized (ClaimBudget.this) {
                probeEnds(1, claimedIn);
                freed(1);
            }
        }

        private void probeEnds(int count, int in) {
            probes -= in == period ? Math.min(count, probes) : 0;
        }

        private void hold(int count) {
            if (!closed) {
                held += count;
                heldByAll += count;
            }
        }

        /** Records deliveries that are no longer open. */
        void freed(int count) {
            synchronized (ClaimBudget.this) {
                if (!closed) {
                    held -= count;
                    heldByAll -= count;
                    wakeFirst(this);
                }
            }
        }

        /** Closes the share: frees all that it holds, and permits no further claims. Later calls have no effect. */
        void close() {
            synchronized (ClaimBudget.this) {
                wants(false);
                freed(held);
                if (!closed) {
                    closed = true;
                    shares--;
                }
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
                if (!some) {
                    claimsNothingInAdvance(false);
                }
                if (some != wants && !closed) {
                    wants = some;
                    wanting += some ? 1 : -1;
                    if (!some) {
                        waiting.remove(this);
                        wakeFirst(this); // the fair shares of the others have grown
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
