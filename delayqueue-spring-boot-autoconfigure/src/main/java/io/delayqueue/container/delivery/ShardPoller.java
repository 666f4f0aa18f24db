package io.delayqueue.container.delivery;

import io.delayqueue.coordination.Seat;
import io.delayqueue.coordination.Step;
import io.delayqueue.coordination.StepScheduler.StepHandle;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.SignalSource;
import io.delayqueue.store.Claim;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.Settle;
import io.delayqueue.store.StepReply;
import io.delayqueue.store.StepRequest;
import io.delayqueue.store.TopicConflictException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One consumer of one shard. Its step settles, renews and claims in one round trip and sleeps until it is exactly time
 * for the next. Whatever else happens to it (answers, signals, workers that want more) only wakes it.
 */
public final class ShardPoller implements Step {

    private static final int FULL_BUFFER = StepRequest.MAX_BATCH / 2;
    private static final long FOREVER = Duration.ofDays(365).toNanos();

    /**
     * What a poller works with.
     *
     * @param tellers where futures are completed that somebody's code depends on
     * @param patience for how long a step holds its thread for an answer
     */
    public record Tools(
            MessageStore store,
            SignalSource signals,
            Pace pace,
            LongSupplier nanoTime,
            PollerEvents events,
            PrefetchPolicy prefetch,
            Executor tellers,
            Duration patience) {}

    private final Shard shard;
    private final ListenerOptions options;
    private final Tools tools;
    private final StepWriter writer;
    private final Attendance attendance;
    private final Patience patience;
    private final ClaimBudget.Share share;
    private final RedisClock clock;
    private final Lookout lookout;
    private final LeaseKeeper keeper;
    private final AnswerDesk desk;
    private final SettleBuffer answers = new SettleBuffer();
    private final DeliveryQueue waiting = new DeliveryQueue();
    private final Runnable dispatch;
    private volatile @Nullable StepHandle handle;
    private volatile boolean accepting;
    private volatile Seat seat = Seat.alone();
    private volatile @Nullable Runnable whenQuiet;
    private volatile @Nullable InFlight inFlight;
    private boolean mayHaveRun;

    /**
     * For one consumer.
     *
     * @param consumer unique among all consumers ever
     * @param budget what it may claim together with the listener's other pollers
     * @param dispatch called when deliveries wait for a worker
     */
    public ShardPoller(
            Shard shard,
            String consumer,
            ListenerOptions options,
            FailureJudge judge,
            Tools tools,
            ClaimBudget budget,
            Runnable dispatch) {
        this.shard = shard;
        this.options = options;
        this.tools = tools;
        this.writer = new StepWriter(consumer, options, tools.pace().sweep());
        this.dispatch = dispatch;
        this.attendance = new Attendance(shard, tools.store(), tools.nanoTime());
        this.patience = new Patience(tools.patience(), this::wake);
        this.share = budget.share();
        this.clock = new RedisClock(tools.nanoTime());
        this.lookout = new Lookout(consumer, clock, tools.nanoTime(), this::wake);
        this.keeper =
                new LeaseKeeper(share, options.handlingTime(), tools.pace().confirmAfter());
        this.desk = new AnswerDesk(answers, keeper, judge, clock, tools.nanoTime(), tools.tellers(), this::answered);
    }

    /** By which answers and signals wake it. */
    public void attach(StepHandle stepHandle) {
        handle = stepHandle;
        share.attach(stepHandle);
        stepHandle.wake();
    }

    /** What hears signals. */
    public Lookout lookout() {
        return lookout;
    }

    /** Deliveries that are open: waiting or handled, and not answered. */
    public int open() {
        return keeper.size();
    }

    /** Begins to take on deliveries. */
    public void accept(Seat taken) {
        seat = taken;
        accepting = true;
        lookout.look();
    }

    /** Takes on no more deliveries and hands back those that wait. */
    public void refuse() {
        accepting = false;
        handBackAll();
        wake();
    }

    private void handBackAll() {
        waiting.removeIf(any -> true).forEach(this::release);
    }

    /** Calls back, once or more often, when nothing is open and every answer has arrived. */
    public void whenQuiet(Runnable callback) {
        whenQuiet = callback;
        wake();
    }

    /** Whether nothing is handled and no answer is on its way: at most a claim that nobody waits for. */
    public boolean owesNothing() {
        InFlight flight = inFlight;
        return keeper.size() == 0
                && answers.isEmpty()
                && (flight == null || flight.settles().isEmpty());
    }

    /** No step follows: fails what users wait for, now and later. */
    public void abandon() {
        desk.close();
        InFlight unanswered = inFlight;
        if (unanswered != null) {
            desk.abandon(unanswered);
        }
    }

    private void release(ClaimedDelivery delivery) {
        delivery.answer(new Settle.Release(delivery.id(), delivery.claim().token()));
    }

    void wake() {
        StepHandle current = handle;
        if (current != null) {
            current.wake();
        }
    }

    @Override
    public Duration step() {
        try {
            return round();
        } catch (RuntimeException e) {
            share.endReservation();
            share.wants(false);
            dropWhatSurelyDidNotRun();
            throw e;
        } finally {
            tellIfQuiet();
        }
    }

    /** Whether the last step ended without its answer, which calls the next one. */
    public boolean isUnanswered() {
        return patience.isOutlasted();
    }

    /** Lets a stop end though Redis refuses the claim that it came upon. */
    private void dropWhatSurelyDidNotRun() {
        InFlight flight = inFlight;
        if (flight != null && !accepting && !mayHaveRun && flight.settles().isEmpty() && keeper.size() == 0) {
            inFlight = null;
        }
    }

    private void tellIfQuiet() {
        Runnable callback = whenQuiet;
        if (callback != null && inFlight == null && keeper.size() == 0 && answers.isEmpty()) {
            callback.run();
        }
    }

    private Duration round() {
        if (inFlight == null && (accepting || patience.isOutlasted()) && !attendance.renew(patience)) {
            return untilAnswered();
        }
        handBackOverdue();
        InFlight flight = inFlight;
        if (flight == null) {
            flight = prepare();
            if (flight == null) {
                return untilNext();
            }
            inFlight = flight;
        }
        StepReply reply = send(flight);
        if (reply == null) {
            return untilAnswered();
        }
        clock.set(reply.nowMicros());
        inFlight = null;
        mayHaveRun = false;
        apply(flight, reply);
        share.endReservation();
        return untilNext();
    }

    private Duration untilAnswered() {
        share.endReservation();
        return Duration.ofNanos(FOREVER);
    }

    private void handBackOverdue() {
        long oldest = waiting.oldestClaim();
        long now = tools.nanoTime().getAsLong();
        if (oldest != Long.MAX_VALUE && now - oldest >= options.prefetchTime().toNanos()) {
            tools.prefetch().handedBack();
            long limit = now - options.prefetchTime().toNanos();
            waiting.removeIf(delivery -> delivery.claimedAt - limit <= 0).forEach(this::release);
        }
    }

    private @Nullable StepReply send(InFlight flight) {
        try {
            return patience.answer(() -> tools.store().stepAsync(shard, flight.request()));
        } catch (TopicConflictException e) {
            // somebody with this name stepped later, as after a restore from a backup: go on under another name
            inFlight = flight.repeatedAs(writer.underAnotherName(flight.request()));
            throw e;
        } catch (RedisCallException e) {
            mayHaveRun |= e.kind() == RedisCallException.Kind.UNKNOWN;
            throw e;
        }
    }

    private @Nullable InFlight prepare() {
        long now = tools.nanoTime().getAsLong();
        int capacity = takesMore() ? share.capacity() : 0;
        boolean peers = seat.hasPeers();
        Lookout.Reason reason =
                accepting ? lookout.reason(watches(), peers, capacity, sweepNanos()) : Lookout.Reason.NONE;
        boolean looks = reason != Lookout.Reason.NONE;
        boolean renews = keeper.hasWork(now);
        boolean settles =
                isUrgent() || answers.isOlderThan(now - tools.pace().linger().toNanos());
        if (!looks && !renews && !(settles && !answers.isEmpty())) {
            return null;
        }
        List<SettleBuffer.Entry> taken = answers.take();
        List<LeaseKeeper.Due> renewals = keeper.take(now);
        lookout.looking();
        StepRequest request = writer.next(
                share.reserve(Math.min(capacity, StepRequest.MAX_BATCH)),
                peers && capacity <= StepRequest.MAX_BATCH,
                taken.stream().map(SettleBuffer.Entry::settle).toList(),
                renewals.stream().map(LeaseKeeper.Due::renewal).toList());
        return new InFlight(request, taken, renewals, reason, now);
    }

    /** Without signals nobody can be called to help, so that everybody has to look. */
    private boolean watches() {
        return seat.watches() || !tools.signals().confirmed();
    }

    private long sweepNanos() {
        Pace pace = tools.pace();
        boolean oftener = seat.watches() && !tools.signals().confirmed();
        return (oftener ? pace.unconfirmedSweep() : pace.sweep()).toNanos();
    }

    private boolean takesMore() {
        return accepting && waiting.bytes() <= share.bytes();
    }

    private void answered() {
        StepHandle current = handle;
        if (current != null && (isUrgent() || keeper.hasExtensions())) {
            current.wake();
        } else if (current != null) {
            current.wakeWithin(tools.pace().linger());
        }
    }

    /** Whether an answer should go at once: nothing else keeps the workers busy, or enough have gathered. */
    private boolean isUrgent() {
        return !accepting || waiting.size() <= share.prefetched() / 2 || answers.size() >= FULL_BUFFER;
    }

    private Duration untilNext() {
        boolean takesMore = takesMore();
        int granted = share.wants(takesMore && lookout.knowsOfDue(watches()));
        int capacity = takesMore ? granted : 0;
        long now = tools.nanoTime().getAsLong();
        long wait = FOREVER;
        if (accepting) {
            boolean peers = seat.hasPeers();
            wait = Math.min(wait, lookout.nanosUntilLook(watches(), peers, capacity, sweepNanos()));
        }
        if (!answers.isEmpty()) {
            wait = isUrgent() ? 0 : Math.min(wait, tools.pace().linger().toNanos());
        }
        long renewal = keeper.nextRenewal();
        if (renewal != Long.MAX_VALUE) {
            wait = Math.min(wait, renewal - now);
        }
        long oldest = waiting.oldestClaim();
        if (oldest != Long.MAX_VALUE) {
            wait = Math.min(wait, oldest + options.prefetchTime().toNanos() - now);
        }
        return Duration.ofNanos(keeper.isConfirmationWanted() ? 0 : Math.max(0, wait));
    }

    private void apply(InFlight flight, StepReply reply) {
        lookout.saw(reply, flight.request().claiming().max(), flight.request().announceSurplus());
        long heardAt = tools.nanoTime().getAsLong();
        Set<Object> lost = InFlight.identities(reply.lost());
        List<ClaimedDelivery> lostOnes = new ArrayList<>(lost.size());
        for (LeaseKeeper.Due due : flight.renewals()) {
            if (lost.contains(due.renewal())) {
                due.delivery().lose();
                lostOnes.add(due.delivery());
            }
        }
        waiting.removeIf(ClaimedDelivery::isLost).forEach(keeper::remove);
        keeper.renewed(flight.renewals(), flight.sentAt(), heardAt);
        take(flight, reply.claims(), heardAt);
        // what follows is told to others, who may be mistaken in any way: nothing of this step must depend on them
        lostOnes.forEach(tools.events()::lost);
        desk.answered(flight, reply, tools.events());
        tools.events().step(flight, reply);
    }

    private void take(InFlight flight, List<Claim> claims, long heardAt) {
        if (!claims.isEmpty()) {
            List<ClaimedDelivery> taken = new ArrayList<>(claims.size());
            for (Claim claim : claims) {
                taken.add(ClaimedDelivery.of(desk, shard.topic(), claim, options.lease(), flight.sentAt(), heardAt));
            }
            keeper.add(taken);
            waiting.addAll(taken);
        }
        if (!accepting) { // asked after they were added: whoever refuses meanwhile finds them, or they are found here
            handBackAll();
        }
        if (waiting.size() > 0) {
            dispatch.run();
        }
    }

    /** The next delivery that may start now, or null. */
    public @Nullable ClaimedDelivery next() {
        while (true) {
            ClaimedDelivery delivery = waiting.poll();
            if (delivery == null) {
                return null;
            }
            long now = tools.nanoTime().getAsLong();
            if (delivery.isLost()) {
                keeper.remove(delivery);
                continue;
            }
            if (!accepting) {
                release(delivery);
                continue;
            }
            if (keeper.mayStart(delivery, now)) {
                return delivery;
            }
            waiting.putBack(delivery);
            keeper.wantConfirmation();
            wake();
            return null;
        }
    }

    /** Whether deliveries wait that could start without asking Redis. */
    public boolean hasStartable() {
        return waiting.size() > 0 && !keeper.isConfirmationWanted();
    }
}
