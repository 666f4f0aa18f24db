package io.delayqueue.store;

import io.delayqueue.event.EventBus;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.Completions;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.PollRequest.Reclaiming;
import io.delayqueue.store.Settlement.Extend;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The client of the poll script for one consumer on one shard. It holds the consumer's name, the sequence of its polls,
 * the poll in progress (which has no reply yet and is repeated unchanged), Redis' clock, and the waiting settlements.
 *
 * <p>If {@link #inProgress()} returns null, the poller calls {@link #begin}. Then it calls {@link #send} until there is
 * a reply, {@link #end}, and {@link #publish}. The poller sends one poll at a time and decides when. The session never
 * waits.
 *
 * <p>Thread-safe. The lock guards the waiting settlements, the poll in progress, the consumer's generation, and the time
 * of the last poll.
 */
public final class ShardSession {

    /** Largest assumed time between the run of a poll and its reply. */
    private static final long MAX_REPLY_TRAVEL = Duration.ofSeconds(1).toNanos();

    private final Function<PollRequest, CompletableFuture<Optional<PollReply>>> pollScript;
    private final String consumer;
    private final LongSupplier sequence;
    private final LeaseTokens tokens = new LeaseTokens();
    private final LongSupplier nanoTime;
    private final RedisClock clock;
    private final PollEvents events;
    private final Consumer<List<Runnable>> completions;
    private final Deque<PendingSettlement> waiting = new ArrayDeque<>();
    private volatile int size;
    private volatile @Nullable Poll inProgress;
    private int generation;
    private @Nullable Long lastRanAt;

    /**
     * Creates a session. Sends nothing.
     *
     * @param pollScript runs the poll script on the shard; returns empty if the shard's topic is not registered
     * @param consumer name of the consumer, which no other consumer ever has: letters, digits and dots
     * @param sequence increasing numbers for the polls
     * @param nanoTime monotonic clock in nanoseconds
     * @param events receives the events of polls
     * @param recipient recipient of the deliveries
     * @param completions runs completions of futures on which application code may depend
     */
    public ShardSession(
            Function<PollRequest, CompletableFuture<Optional<PollReply>>> pollScript,
            String consumer,
            LongSupplier sequence,
            LongSupplier nanoTime,
            EventBus events,
            Recipient recipient,
            Consumer<List<Runnable>> completions) {
        this.pollScript = pollScript;
        this.consumer = consumer;
        this.sequence = sequence;
        this.nanoTime = nanoTime;
        this.clock = new RedisClock(nanoTime);
        this.events = new PollEvents(events, recipient);
        this.completions = completions;
    }

    /** A poll, from its first send to its reply. */
    public static final class Poll {

        private final PollRequest request;
        private final List<PendingSettlement> settlements;
        private final long polledAt;
        private volatile int sends;
        private volatile boolean mayHaveRun;

        private Poll(PollRequest request, List<PendingSettlement> settlements, long polledAt) {
            this.request = request;
            this.settlements = settlements;
            this.polledAt = polledAt;
        }

        /** The request of the poll. */
        public PollRequest request() {
            return request;
        }

        /** Time of the first send, by the monotonic clock. Leases that the poll claims or renews count from here. */
        public long polledAt() {
            return polledAt;
        }

        /** The settlements that the poll carries. */
        public List<PendingSettlement> settlements() {
            return settlements;
        }

        /** Whether Redis may have received the poll. */
        public boolean isReceived() {
            return sends > 0;
        }

        /** Whether the poll may have run without a reply. */
        public boolean mayHaveRun() {
            return mayHaveRun;
        }
    }

    /** Name of the consumer. */
    public String consumer() {
        return consumer;
    }

    /** Redis' clock, set by the last reply. */
    public RedisClock clock() {
        return clock;
    }

    /** Adds a settlement, which one of the next polls sends. */
    public synchronized void add(PendingSettlement pending) {
        waiting.add(clock.isSet() ? pending.withHandling(clock.at(pending.givenAt())) : pending);
        size = waiting.size();
    }

    /** Number of settlements that wait for a poll. */
    public int size() {
        return size;
    }

    /** When the oldest waiting settlement was given, by the monotonic clock; {@code otherwise} if none waits. */
    public synchronized long oldestGivenAt(long otherwise) {
        PendingSettlement oldest = waiting.peek();
        return oldest == null ? otherwise : oldest.givenAt();
    }

    /** Whether settlements wait for a poll or for a reply. */
    public synchronized boolean hasPendingSettlements() {
        Poll sent = inProgress;
        return !waiting.isEmpty() || (sent != null && !sent.settlements.isEmpty());
    }

    /** The poll that has no reply yet and must be repeated before the next poll; null if there is none. */
    public @Nullable Poll inProgress() {
        return inProgress;
    }

    /**
     * Begins the next poll, with as many waiting settlements as a poll may carry.
     *
     * @throws IllegalStateException if a poll is in progress
     */
    public synchronized Poll begin(
            Claiming claiming, Reclaiming reclaiming, boolean signalDueMessagesLeft, List<Extend> renewals) {
        if (inProgress != null) {
            throw new IllegalStateException("The last poll has no reply yet");
        }
        List<PendingSettlement> taken = take(renewals.size());
        List<Settlement> settlements = new ArrayList<>(taken.size());
        List<Extend> extensions = new ArrayList<>(renewals);
        for (PendingSettlement pending : taken) {
            if (pending.settlement() instanceof Extend extension) {
                extensions.add(extension);
            } else {
                settlements.add(pending.settlement());
            }
        }
        long number = sequence.getAsLong();
        PollRequest request = new PollRequest(
                name(),
                number,
                tokens.next(name(), number),
                claiming,
                reclaiming,
                signalDueMessagesLeft,
                settlements,
                extensions);
        Poll poll = new Poll(request, taken, nanoTime.getAsLong());
        inProgress = poll;
        return poll;
    }

    /**
     * Takes waiting settlements. A second settlement of the same message waits for the next poll, which rejects it:
     * its token may be a receipt of the same lease.
     *
     * @param renewals number of renewals of the poll, which count as extensions
     */
    private List<PendingSettlement> take(int renewals) {
        int extensions = renewals;
        List<PendingSettlement> taken = new ArrayList<>(Math.min(size, PollRequest.MAX_BATCH));
        Set<String> settled = new HashSet<>();
        long bytes = 0;
        while (!waiting.isEmpty() && taken.size() < PollRequest.MAX_BATCH) {
            PendingSettlement next = waiting.element();
            String id = next.settlement().id();
            bytes += next.bytesRead();
            boolean tooLarge = next.bytesRead() > 0 && bytes > PollRequest.MAX_BYTES && !taken.isEmpty();
            boolean extend = next.settlement() instanceof Extend;
            if (tooLarge || settled.contains(id) || (extend && extensions == PollRequest.MAX_BATCH)) {
                break;
            }
            if (extend) {
                extensions++;
            } else {
                settled.add(id);
            }
            taken.add(waiting.remove());
        }
        size = waiting.size();
        return taken;
    }

    private String name() {
        return generation == 0 ? consumer : consumer + "." + generation;
    }

    /**
     * Sends the poll in progress. It stays in progress until {@link #end} is called.
     *
     * @return the reply, empty if the shard's topic is not registered
     */
    public CompletableFuture<Optional<PollReply>> send(Poll poll) {
        long sentAt = nanoTime.getAsLong();
        return Completions.call(() -> pollScript.apply(sending(poll, sentAt))).whenComplete((reply, failure) -> {
            if (failure != null) {
                failed(poll, Completions.cause(failure));
            } else if (reply.isPresent()) {
                replied(sentAt, reply.get());
            }
        });
    }

    private synchronized PollRequest sending(Poll poll, long now) {
        poll.sends++;
        return poll.request.withSinceLastPoll(
                lastRanAt == null ? null : Duration.ofNanos(Math.max(0, now - lastRanAt)));
    }

    private synchronized void replied(long sentAt, PollReply reply) {
        clock.set(reply.nowMicros());
        long repliedAt = nanoTime.getAsLong();
        lastRanAt = sentAt - (repliedAt - MAX_REPLY_TRAVEL) > 0 ? sentAt : repliedAt - MAX_REPLY_TRAVEL;
    }

    private synchronized void failed(Poll poll, @Nullable Throwable cause) {
        if (cause instanceof RedisCallException call) {
            if (call.kind() == RedisCallException.Kind.NOT_SENT) {
                poll.sends--;
            }
            poll.mayHaveRun |= call.kind() == RedisCallException.Kind.UNKNOWN;
        } else if (cause instanceof TopicConflictException && inProgress == poll) {
            // Redis knows a later poll of this consumer, for example after a restore: continue with a new name
            generation++;
            long number = sequence.getAsLong();
            PollRequest renamed = poll.request.renamed(name(), number, tokens.next(name(), number));
            inProgress = new Poll(renamed, poll.settlements, poll.polledAt);
        }
    }

    /** Ends the poll in progress, after its reply or when it is abandoned. */
    public synchronized void end() {
        inProgress = null;
    }

    /** Ends the poll in progress, which Redis has certainly not received. The next poll sends its settlements. */
    public synchronized void withdraw() {
        Poll poll = inProgress;
        if (poll != null) {
            for (int i = poll.settlements.size() - 1; i >= 0; i--) {
                waiting.addFirst(poll.settlements.get(i));
            }
            size = waiting.size();
            inProgress = null;
        }
    }

    /** Publishes the effects of a poll as events, then completes the futures of its settlements. */
    public void publish(Poll poll, PollReply reply) {
        Set<Object> rejected = byIdentity(reply.rejected());
        events.publish(poll.settlements, rejected, reply);
        RedisCallException unconfirmed = reply.unconfirmed();
        complete(poll.settlements, pending -> {
            boolean accepted = !rejected.contains(pending.settlement());
            if (accepted && unconfirmed != null) {
                pending.accepted().completeExceptionally(unconfirmed);
            } else {
                pending.accepted().complete(accepted);
            }
        });
    }

    /** Returns a set that compares settlements by identity, because a poll may contain equal settlements. */
    public static Set<Object> byIdentity(Collection<?> settlements) {
        if (settlements.isEmpty()) {
            return Set.of();
        }
        Set<Object> set = Collections.newSetFromMap(new IdentityHashMap<>());
        set.addAll(settlements);
        return set;
    }

    /** Rejects the settlements of a poll whose topic is no longer registered: its leases were deleted with it. */
    public void rejectUnregistered(Poll poll) {
        poll.settlements.forEach(events::unregistered);
        complete(poll.settlements, pending -> pending.accepted().complete(false));
    }

    /** Fails the settlements of a poll that is abandoned. */
    public void fail(Poll poll, Throwable cause) {
        fail(poll.settlements, cause);
    }

    /** Fails the settlements that now wait for a poll. Settlements that are added later wait for a poll as usual. */
    public void failWaiting(Throwable cause) {
        List<PendingSettlement> taken;
        synchronized (this) {
            taken = List.copyOf(waiting);
            waiting.clear();
            size = 0;
        }
        fail(taken, cause);
    }

    private void fail(List<PendingSettlement> settlements, Throwable cause) {
        complete(settlements, pending -> pending.accepted().completeExceptionally(cause));
    }

    /**
     * Completes futures that have dependents on another thread, because dependent code of the application may block. A
     * dependent that is added between the check and the completion runs on this thread.
     */
    private void complete(List<PendingSettlement> settlements, Consumer<PendingSettlement> completion) {
        List<Runnable> others = new ArrayList<>();
        for (PendingSettlement pending : settlements) {
            if (pending.accepted().getNumberOfDependents() == 0) {
                completion.accept(pending);
            } else {
                others.add(() -> completion.accept(pending));
            }
        }
        if (!others.isEmpty()) {
            completions.accept(others);
        }
    }
}
