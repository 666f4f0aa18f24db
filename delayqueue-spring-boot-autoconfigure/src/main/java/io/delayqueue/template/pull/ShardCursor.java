package io.delayqueue.template.pull;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.store.StepReply;
import io.delayqueue.store.StepRequest;
import io.delayqueue.store.StepRequest.Claiming;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A pump's view of one shard: when to look again, and the request that has to be answered before the next. Guarded by the
 * pump's lock.
 */
final class ShardCursor {

    private static final Duration OVERDUE_LOOK = Duration.ofSeconds(1);

    private final Tools tools;
    private final Shard shard;
    private final SettleLane lane;
    private final String consumer;
    private final LongSupplier sequence;
    private @Nullable Look pending;
    private @Nullable RedisTime time;
    private long nextLook;
    private long signalled;
    private boolean hasSignal;
    private boolean overdueLeases;
    private long answeredUpTo;

    ShardCursor(Tools tools, Shard shard, LongSupplier sequence) {
        this.tools = tools;
        this.sequence = sequence;
        this.shard = shard;
        this.lane = new SettleLane(tools, shard, "settle");
        this.consumer = tools.epoch() + ".pull";
        this.nextLook = tools.now();
    }

    /**
     * A request under way.
     *
     * @param receiver for whom it claims; null if it only takes leases back
     * @param arrivals the youngest receiver that had come when it was sent
     * @param begunNanos when it was sent
     * @param repeated whether it may have run before
     */
    record Look(
            ShardCursor cursor,
            StepRequest request,
            @Nullable WaitingReceiver receiver,
            long arrivals,
            long begunNanos,
            boolean repeated) {}

    Shard shard() {
        return shard;
    }

    SettleLane lane() {
        return lane;
    }

    /** Whether there is something to look for: for a receiver, the newest of which is given, or at over-due leases. */
    boolean isToBeLookedAt(boolean somebodyWaits, long newest, long now) {
        return pending != null
                || (somebodyWaits && (now - nextLook >= 0 || answeredUpTo < newest))
                || (overdueLeases && now - nextLook >= 0);
    }

    /** Whether it needs steps although nobody waits. */
    boolean needsCare() {
        return pending != null || overdueLeases;
    }

    boolean hasAnswered(WaitingReceiver receiver) {
        return answeredUpTo >= receiver.arrival();
    }

    long nextLook() {
        return nextLook;
    }

    Look begin(@Nullable WaitingReceiver receiver, long arrivals, long now) {
        Look before = pending;
        Look look;
        if (before != null) {
            look = new Look(this, before.request, before.receiver, arrivals, now, true);
        } else {
            int max = receiver == null ? 0 : receiver.request().max();
            Duration lease = receiver == null
                    ? Duration.ofSeconds(1)
                    : receiver.request().lease();
            StepRequest request = new StepRequest(
                    consumer,
                    sequence.getAsLong(),
                    new Claiming(max, StepRequest.MAX_BYTES, lease),
                    tools.reclaiming(true),
                    false,
                    List.of(),
                    List.of());
            look = new Look(this, request, receiver, arrivals, now, false);
        }
        hasSignal = false;
        return look;
    }

    void answered(Look look, StepReply reply, long now) {
        pending = null;
        time = new RedisTime(reply.nowMicros(), now);
        Duration sweep = tools.signals().confirmed()
                ? tools.settings().sweep()
                : tools.settings().unconfirmedSweep();
        overdueLeases = reply.untilNextLeaseEnd().isZero();
        Duration lease = overdueLeases ? OVERDUE_LOOK : reply.untilNextLeaseEnd();
        // what is due is nobody's concern here while nobody waits
        Duration due = look.receiver == null ? sweep : reply.untilNextDue();
        nextLook = now + min(min(due, lease), sweep).toNanos();
        if (hasSignal && signalled - nextLook < 0) {
            nextLook = signalled;
        }
        boolean nothingThere = reply.claims().isEmpty() && !reply.untilNextDue().isZero();
        if (look.receiver != null && nothingThere && !look.repeated) {
            answeredUpTo = look.arrivals;
        }
    }

    void failed(Look look, Throwable cause) {
        boolean mayHaveRun = cause instanceof RedisCallException call && call.kind() != Kind.NOT_SENT;
        pending = mayHaveRun || look.repeated ? look : null;
    }

    /** What can't be repeated is forgotten: nothing of it was done. */
    void forget() {
        pending = null;
    }

    /** Looks at a time of Redis' clock, or now. */
    void signal(@Nullable Long dueMillis, long now) {
        RedisTime known = time;
        long at = dueMillis == null || known == null ? now : known.nanosOf(dueMillis);
        if (!hasSignal || at - signalled < 0) {
            signalled = at;
            hasSignal = true;
        }
        if (at - nextLook < 0) {
            nextLook = at;
        }
    }

    RedisTime time() {
        RedisTime known = time;
        return known == null ? new RedisTime(0, tools.now()) : known;
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }
}
