package io.delayqueue.container.delivery;

import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.store.StepReply;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Knows when a shard is worth a look. What signals say is taken from any thread; the rest belongs to the step.
 *
 * <p>Whoever watches the shard looks when the head is due, when a lease ends, and at the latest after a sweep. Everybody
 * else looks when due messages were left behind, and a sweep after something he knows of was due: then nobody may be
 * watching.
 */
public final class Lookout implements SignalListener {

    private static final long AGAIN = Duration.ofSeconds(1).toNanos();

    private final String consumer;
    private final RedisClock clock;
    private final LongSupplier nanoTime;
    private final Runnable wake;
    private volatile long nextDue = StepReply.NEVER;
    private volatile boolean surplus;
    private volatile boolean lookNow = true;
    private long nextLeaseEnd = StepReply.NEVER;
    private long lastLook;
    private long announcedDue = StepReply.NEVER;

    /** Why a step looks. */
    enum Reason {
        NONE,
        ASKED,
        DUE,
        SWEEP
    }

    Lookout(String consumer, RedisClock clock, LongSupplier nanoTime, Runnable wake) {
        this.consumer = consumer;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.wake = wake;
        this.lastLook = nanoTime.getAsLong();
    }

    @Override
    public void headAt(long dueMillis) {
        synchronized (this) {
            if (dueMillis >= nextDue) {
                return;
            }
            nextDue = dueMillis;
        }
        wake.run();
    }

    @Override
    public void surplus(String from) {
        if (!from.equals(consumer)) {
            surplus = true;
            wake.run();
        }
    }

    @Override
    public void resubscribed() {
        look();
    }

    /** Looks with the next step, whatever is known. */
    public void look() {
        lookNow = true;
        wake.run();
    }

    /** Whether due messages are known of that are to be claimed. */
    boolean knowsOfDue(boolean watches) {
        return surplus || (watches && clock.isSet() && clock.nanosUntil(nextDue) <= 0);
    }

    /** Whether and why to look now. */
    Reason reason(boolean watches, boolean peers, int capacity, long sweepNanos) {
        if (lookNow || (surplus && capacity > 0)) {
            return Reason.ASKED;
        }
        if (!watches) {
            return capacity > 0 && isNeglected(sweepNanos) ? Reason.SWEEP : Reason.NONE;
        }
        if (clock.nanosUntil(nextDue) <= 0 && isWorthALook(peers, capacity)) {
            return Reason.DUE;
        }
        long sinceLook = nanoTime.getAsLong() - lastLook;
        if (clock.nanosUntil(nextLeaseEnd) <= 0 && sinceLook >= AGAIN) {
            return Reason.ASKED;
        }
        return sinceLook >= sweepNanos ? Reason.SWEEP : Reason.NONE;
    }

    /** Whether somebody gains from a look when the head is due: this consumer, or others who are then told of it. */
    private boolean isWorthALook(boolean peers, int capacity) {
        return capacity > 0 || (peers && announcedDue != nextDue);
    }

    /** Whether what was due a sweep ago may still be: its watcher hangs, or died a moment ago. */
    private boolean isNeglected(long sweepNanos) {
        return nanosUntilNeglected(sweepNanos) <= 0;
    }

    private long nanosUntilNeglected(long sweepNanos) {
        if (nextDue == StepReply.NEVER) {
            return Long.MAX_VALUE;
        }
        long sinceLook = nanoTime.getAsLong() - lastLook;
        return sweepNanos + Math.max(clock.nanosUntil(nextDue), -sinceLook);
    }

    /** A step is under way; a signal that comes now forces another. */
    void looking() {
        lookNow = false;
        surplus = false;
        synchronized (this) {
            nextDue = StepReply.NEVER;
        }
    }

    /** What the step saw. */
    void saw(StepReply reply, int asked, boolean announced) {
        lastLook = nanoTime.getAsLong();
        nextLeaseEnd = reply.nextLeaseEndMillis();
        boolean moreIsDue = reply.untilNextDue().isZero();
        synchronized (this) {
            nextDue = Math.min(nextDue, reply.nextDueMillis());
        }
        announcedDue = announced && moreIsDue ? reply.nextDueMillis() : StepReply.NEVER;
        if (moreIsDue && asked > 0) {
            surplus = true;
        }
    }

    /** Nanoseconds until a look may be worth it, so far as it is known now. */
    long nanosUntilLook(boolean watches, boolean peers, int capacity, long sweepNanos) {
        if (reason(watches, peers, capacity, sweepNanos) != Reason.NONE) {
            return 0;
        }
        if (!watches) {
            return capacity > 0 ? Math.max(0, nanosUntilNeglected(sweepNanos)) : Long.MAX_VALUE;
        }
        long sinceLook = nanoTime.getAsLong() - lastLook;
        long wait = sweepNanos - sinceLook;
        long untilDue = clock.nanosUntil(nextDue);
        if (untilDue > 0 || isWorthALook(peers, capacity)) { // it may have become due since the reason was sought
            wait = Math.min(wait, untilDue);
        }
        long untilLeaseEnd = Math.max(clock.nanosUntil(nextLeaseEnd), AGAIN - sinceLook);
        return Math.max(0, Math.min(wait, untilLeaseEnd));
    }
}
