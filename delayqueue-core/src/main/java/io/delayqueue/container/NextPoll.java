package io.delayqueue.container;

import io.delayqueue.store.PollReply;
import io.delayqueue.store.RedisClock;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Decides when a poller polls its shard. Any thread may report signals; only the poller's task calls the other methods.
 *
 * <p>The assigned poller polls when the head of the schedule is due, when a lease ends, and at the latest after a sweep
 * interval. Any other poller polls when a surplus of due messages is signalled. It also polls a sweep interval after a
 * known message was due, because then there may be no assigned poller. A poller that claimed messages polls again when
 * the next message in the reply is due, because the assigned poller may have no capacity.
 */
final class NextPoll {

    private static final long AGAIN = Duration.ofSeconds(1).toNanos();

    private final String consumer;
    private final RedisClock clock;
    private final LongSupplier nanoTime;
    private final Runnable wake;
    private volatile long nextDue = PollReply.NEVER;
    private volatile boolean surplus;
    private volatile boolean wanted = true;
    private long nextLeaseEnd = PollReply.NEVER;
    private long lastPoll;
    /** Due time of the message that followed this poller's last claims; never if it was due at the last reply. */
    private long ownDue = PollReply.NEVER;

    /** The reason for a poll. */
    enum Reason {
        NONE,
        REQUESTED,
        DUE,
        SWEEP
    }

    NextPoll(String consumer, RedisClock clock, LongSupplier nanoTime, Runnable wake) {
        this.consumer = consumer;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.wake = wake;
        this.lastPoll = nanoTime.getAsLong();
    }

    /** Records the due time of the head, as signalled. */
    void headAt(long dueMillis) {
        synchronized (this) {
            if (dueMillis >= nextDue) {
                return;
            }
            nextDue = dueMillis;
        }
        wake.run();
    }

    /** Records that another consumer left due messages in the schedule. */
    void surplus(String from) {
        if (!from.equals(consumer)) {
            surplus = true;
            wake.run();
        }
    }

    /** Requests a poll at once. */
    void pollNow() {
        wanted = true;
        wake.run();
    }

    /** Whether this poller is aware of due messages that it may claim. */
    boolean hasDueMessages(boolean assigned) {
        return surplus || nanosUntilDue(assigned) <= 0;
    }

    private long nanosUntilDue(boolean assigned) {
        long due = assigned ? nextDue : ownDue;
        return due == PollReply.NEVER || !clock.isSet() ? Long.MAX_VALUE : clock.nanosUntil(due);
    }

    /** Returns the reason to poll now, or {@link Reason#NONE}. */
    Reason reason(boolean assigned, boolean peers, int capacity, long sweepNanos) {
        if (wanted || (surplus && capacity > 0)) {
            return Reason.REQUESTED;
        }
        if (nanosUntilDue(assigned) <= 0 && isWorthAPoll(peers, capacity)) {
            return Reason.DUE;
        }
        if (!assigned) {
            return capacity > 0 && nanosUntilNeglected(sweepNanos) <= 0 ? Reason.SWEEP : Reason.NONE;
        }
        long sincePoll = nanoTime.getAsLong() - lastPoll;
        if (clock.nanosUntil(nextLeaseEnd) <= 0 && sincePoll >= AGAIN) {
            return Reason.REQUESTED;
        }
        return sincePoll >= sweepNanos ? Reason.SWEEP : Reason.NONE;
    }

    /**
     * Whether a poll for the due head is useful: this consumer can claim, or the poll signals a surplus to its peers.
     */
    private static boolean isWorthAPoll(boolean peers, int capacity) {
        return capacity > 0 || peers;
    }

    /**
     * Nanoseconds until a message has been due for a sweep interval without a poll: its assigned node may hang or have
     * failed.
     */
    private long nanosUntilNeglected(long sweepNanos) {
        if (nextDue == PollReply.NEVER) {
            return Long.MAX_VALUE;
        }
        long sincePoll = nanoTime.getAsLong() - lastPoll;
        return sweepNanos + Math.max(clock.nanosUntil(nextDue), -sincePoll);
    }

    /** Resets the signals at the start of a poll. A later signal causes another poll. */
    void began() {
        wanted = false;
        surplus = false;
        synchronized (this) {
            nextDue = PollReply.NEVER;
        }
    }

    /**
     * Applies a reply. If due messages remain, this poller claims them when it has capacity, even if the poll signalled
     * the surplus to other consumers. After that signal the due time of the remaining messages is not kept, because a
     * later signal of a new head would not be earlier and would be ignored.
     *
     * @param announced whether the poll signalled a surplus to other consumers
     */
    void replied(PollReply reply, boolean announced) {
        lastPoll = nanoTime.getAsLong();
        nextLeaseEnd = reply.nextLeaseEndMillis();
        boolean moreIsDue = reply.untilNextDue().isZero();
        if (moreIsDue) {
            surplus = true;
        }
        if (!(moreIsDue && announced)) {
            synchronized (this) {
                nextDue = Math.min(nextDue, reply.nextDueMillis());
            }
        }
        long due = reply.claims().isEmpty() ? ownDue : reply.nextDueMillis();
        ownDue = due * 1000 > reply.nowMicros() ? due : PollReply.NEVER;
    }

    /** Nanoseconds until the next poll, as far as known now. */
    long nanosUntilPoll(boolean assigned, boolean peers, int capacity, long sweepNanos) {
        if (reason(assigned, peers, capacity, sweepNanos) != Reason.NONE) {
            return 0;
        }
        long untilDue = nanosUntilDue(assigned);
        // the head may have become due since reason() was called
        long wait = untilDue > 0 || isWorthAPoll(peers, capacity) ? untilDue : Long.MAX_VALUE;
        if (!assigned) {
            return Math.max(0, capacity > 0 ? Math.min(wait, nanosUntilNeglected(sweepNanos)) : wait);
        }
        long sincePoll = nanoTime.getAsLong() - lastPoll;
        wait = Math.min(wait, sweepNanos - sincePoll);
        long untilLeaseEnd = Math.max(clock.nanosUntil(nextLeaseEnd), AGAIN - sincePoll);
        return Math.max(0, Math.min(wait, untilLeaseEnd));
    }
}
