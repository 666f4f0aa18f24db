package io.delayqueue.consume;

import io.delayqueue.store.PollReply;
import io.delayqueue.store.RedisClock;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

/**
 * Decides when a poller polls its shard. Any thread may report signals; only the poller's task calls the other methods.
 *
 * <p>The assigned poller polls when the head of the schedule is due, when a lease ends, and at the latest after a sweep
 * interval. While signals are not confirmed, each poller acts as assigned. Otherwise any other poller polls when another
 * poller left due messages in the schedule. It also polls a sweep interval after a known message was due, because then
 * there may be no assigned poller. A poller that claimed messages polls again when the next message in the reply is due,
 * because the assigned poller may have no capacity.
 *
 * <p>The poll for a message begins at its poll time: before its due time, so that the poll reaches Redis at the due
 * time. This lead is the shortest time that recent polls took from their poll time until they ran in Redis. A poll that
 * arrives early claims nothing and is repeated.
 */
public final class NextPoll {

    /** Shortest time between two polls for ended leases. */
    private static final long LEASE_END_INTERVAL = Duration.ofSeconds(1).toNanos();

    /** Number of recent polls whose times determine the lead. */
    private static final int MEASURED_POLLS = 16;

    private final String consumer;
    private final RedisClock clock;
    private final LongSupplier nanoTime;
    private final Runnable wake;
    private volatile long headDue = PollReply.NEVER;
    private volatile boolean dueMessagesLeft;
    private volatile boolean requested = true;
    private long nextLeaseEnd = PollReply.NEVER;
    private long lastPoll;
    /** Due time of the message that followed this poller's last claims; never if it was due at the last reply. */
    private long dueAfterClaims = PollReply.NEVER;
    /** Due time until which the poller waits; never if it does not wait for a message. */
    private long awaited = PollReply.NEVER;
    /** Due time for which the poll in progress was planned; never if it has another reason. */
    private long polledFor = PollReply.NEVER;
    /** Times that recent polls took; 0 before they were measured. */
    private final long[] tookMicros = new long[MEASURED_POLLS];

    /** Index of the time that is replaced next. */
    private int oldest;

    private long leadMicros;

    /**
     * What part a poller takes in polling its shard.
     *
     * @param actsAsAssigned whether this poller is the assigned one, or signals are not confirmed
     * @param hasPeers whether the shard has other pollers
     * @param sweep interval between sweeps
     */
    public record Role(boolean actsAsAssigned, boolean hasPeers, Duration sweep) {}

    /** The reason for a poll. */
    public enum Reason {
        /** There is no reason. */
        NONE,
        /** A poll was requested, or due messages were left in the schedule. */
        REQUESTED,
        /** The poll time of a message. */
        DUE,
        /** A lease has ended. */
        LEASE_END,
        /** No other reason for a sweep interval. */
        SWEEP
    }

    /**
     * When and why to poll next, as far as known now.
     *
     * @param nanos nanoseconds until the poll: 0 to poll now, {@link Long#MAX_VALUE} for never
     */
    public record Plan(Reason reason, long nanos) {

        /** No poll. */
        public static final Plan NEVER = new Plan(Reason.NONE, Long.MAX_VALUE);

        /** Whether to poll now. */
        public boolean isNow() {
            return nanos == 0;
        }

        /** Returns the earlier of this plan and another; of two plans to poll now, this one. */
        private Plan or(Reason other, long otherNanos) {
            long fromNow = Math.max(0, otherNanos);
            return fromNow < nanos ? new Plan(other, fromNow) : this;
        }
    }

    /**
     * Creates the plan of a poller that has not polled yet.
     *
     * @param consumer name of the poller, whose own signals are ignored
     * @param nanoTime monotonic clock in nanoseconds
     * @param wake called after a signal; must not block
     */
    public NextPoll(String consumer, RedisClock clock, LongSupplier nanoTime, Runnable wake) {
        this.consumer = consumer;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.wake = wake;
        this.lastPoll = nanoTime.getAsLong();
    }

    /** Records the due time of the head, as signalled. */
    public void headAt(long dueMillis) {
        synchronized (this) {
            if (dueMillis >= headDue) {
                return;
            }
            headDue = dueMillis;
        }
        wake.run();
    }

    /** Records that another consumer left due messages in the schedule. */
    public void dueMessagesLeft(String by) {
        if (!by.equals(consumer)) {
            dueMessagesLeft = true;
            wake.run();
        }
    }

    /** Requests a poll at once. */
    public void pollNow() {
        requested = true;
        wake.run();
    }

    /** Whether this poller knows of messages to claim: left in the schedule, or at their poll time. */
    public boolean hasDueMessages(Role role) {
        return dueMessagesLeft || nanosUntilPollTime(nextDue(role)) <= 0;
    }

    /** Due time of the next message that this poller has to claim. */
    private long nextDue(Role role) {
        return role.actsAsAssigned() ? headDue : dueAfterClaims;
    }

    /** Nanoseconds until the poll time of a message. */
    private long nanosUntilPollTime(long due) {
        return due == PollReply.NEVER || !clock.isSet() ? Long.MAX_VALUE : clock.nanosUntil(due) - leadMicros * 1000;
    }

    /**
     * Plans the next poll. Records the message that the poller waits for, if its poll time is not reached yet.
     *
     * @param capacity number of messages that this poller may claim
     * @param due what {@link #hasDueMessages} returned before the capacity was read
     */
    public Plan plan(Role role, int capacity, boolean due) {
        if (requested || (dueMessagesLeft && capacity > 0)) {
            return new Plan(Reason.REQUESTED, 0);
        }
        Plan plan = Plan.NEVER;
        long nextDue = nextDue(role);
        long untilPollTime = nanosUntilPollTime(nextDue);
        if (untilPollTime > 0) {
            awaited = nextDue;
        }
        // without capacity, a poll only signals due messages to peers; capacity was requested for a message that was
        // due before the capacity was read, and a run at the poll time requests it for any other
        boolean mayPollForDue = !due || capacity > 0 || role.hasPeers();
        if (untilPollTime > 0 || mayPollForDue) {
            plan = plan.or(Reason.DUE, untilPollTime);
        }
        long sincePoll = nanoTime.getAsLong() - lastPoll;
        long sweepNanos = role.sweep().toNanos();
        if (role.actsAsAssigned()) {
            return plan.or(Reason.LEASE_END, nanosUntilLeaseEnd()).or(Reason.SWEEP, sweepNanos - sincePoll);
        }
        long head = headDue;
        if (capacity > 0 && head != PollReply.NEVER) {
            // no poll for a sweep interval after the head was due: the assigned node may hang or have failed
            return plan.or(Reason.SWEEP, sweepNanos + Math.max(clock.nanosUntil(head), -sincePoll));
        }
        return plan;
    }

    /** Nanoseconds until the poll for the next end of a lease; not positive if it is due. */
    public long nanosUntilLeaseEnd() {
        return Math.max(clock.nanosUntil(nextLeaseEnd), LEASE_END_INTERVAL - (nanoTime.getAsLong() - lastPoll));
    }

    /** Resets the signals at the start of a poll of a plan. A later signal causes another poll. */
    public void began(Plan plan) {
        polledFor = plan.isNow() && plan.reason() == Reason.DUE ? awaited : PollReply.NEVER;
        awaited = PollReply.NEVER;
        requested = false;
        dueMessagesLeft = false;
        synchronized (this) {
            headDue = PollReply.NEVER;
        }
    }

    /**
     * Applies a reply. If due messages remain, this poller claims them when it has capacity, even if the poll signalled
     * them to other consumers. After that signal {@code headDue} stays {@link PollReply#NEVER}: if it were a past due
     * time, {@link #headAt} would ignore every later signal of a new head.
     *
     * @param signalled whether the poll signalled remaining due messages to other consumers
     */
    public void replied(PollReply reply, boolean signalled) {
        lastPoll = nanoTime.getAsLong();
        updateLead(reply.nowMicros());
        nextLeaseEnd = reply.nextLeaseEndMillis();
        boolean moreIsDue = reply.untilNextDue().isZero();
        if (moreIsDue) {
            dueMessagesLeft = true;
        }
        if (!(moreIsDue && signalled)) {
            synchronized (this) {
                headDue = Math.min(headDue, reply.nextDueMillis());
            }
        }
        long due = reply.claims().isEmpty() ? dueAfterClaims : reply.nextDueMillis();
        dueAfterClaims = due * 1000 > reply.nowMicros() ? due : PollReply.NEVER;
    }

    /** Measures what the poll took if the poller had waited for a message. */
    private void updateLead(long ranAtMicros) {
        if (polledFor == PollReply.NEVER) {
            return;
        }
        tookMicros[oldest] = Math.max(0, ranAtMicros - (polledFor * 1000 - leadMicros));
        oldest = (oldest + 1) % MEASURED_POLLS;
        leadMicros = LongStream.of(tookMicros).min().orElseThrow();
        polledFor = PollReply.NEVER;
    }
}
