package io.delayqueue.consume;

import io.delayqueue.coordination.RedisTask;
import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.ShardSession;
import io.delayqueue.store.ShardSession.Poll;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Polls one shard for a {@link Demand}. One poll is in progress at a time: it claims due messages, settles deliveries and
 * renews leases. Its reply, a signal, a settlement or the next due time wakes the task, which applies the reply
 * and sends the next poll. A poll without a reply is repeated unchanged after a back-off.
 *
 * <p>Runs of the task never overlap. All methods are thread-safe.
 */
public final class ShardPoller extends RedisTask implements SignalListener {

    private final ShardSession session;
    private final NextPoll nextPoll;
    private final Demand demand;

    /**
     * Creates a poller, which is not scheduled.
     *
     * @param session of the shard, used by this poller and its demand only
     * @param nanoTime monotonic clock in nanoseconds
     * @param demand not called before the poller is scheduled
     */
    public ShardPoller(ShardSession session, LongSupplier nanoTime, Demand demand) {
        super(nanoTime);
        this.session = session;
        this.nextPoll = new NextPoll(session.consumer(), session.clock(), nanoTime, this::wake);
        this.demand = demand;
    }

    /** Decides when to claim. */
    public NextPoll nextPoll() {
        return nextPoll;
    }

    @Override
    public void headAt(long dueMillis) {
        nextPoll.headAt(dueMillis);
    }

    @Override
    public void dueMessagesLeft(String from) {
        nextPoll.dueMessagesLeft(from);
    }

    @Override
    public void resubscribed() {
        nextPoll.pollNow();
    }

    @Override
    public void cancelledOrReplaced(String id) {
        demand.cancelledOrReplaced(id);
    }

    @Override
    protected Duration roundTrip() {
        try {
            demand.beforeRun();
            return round();
        } catch (RuntimeException | Error e) {
            if (demand.failed(e)) {
                return demand.untilNext();
            }
            throw e;
        } finally {
            demand.afterRun();
        }
    }

    private Duration round() {
        Poll begun = session.inProgress();
        Poll poll = begun != null ? begun : demand.begin();
        if (poll == null) {
            return demand.untilNext();
        }
        Optional<PollReply> reply = reply(() -> session.send(poll));
        if (reply == null) { // none yet; an empty one says that the topic is not registered
            return demand.untilReplied(poll);
        }
        session.end();
        try {
            reply.ifPresentOrElse(present -> demand.replied(poll, present), demand::unregistered);
        } finally { // even if the demand fails, for example without memory, Redis has settled
            reply.ifPresentOrElse(present -> session.publish(poll, present), () -> session.rejectUnregistered(poll));
        }
        return demand.untilNext();
    }
}
