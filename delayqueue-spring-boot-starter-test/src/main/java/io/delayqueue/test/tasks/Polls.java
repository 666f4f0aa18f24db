package io.delayqueue.test.tasks;

import io.delayqueue.message.Durability;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.PollRequest.Reclaiming;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The polls of a context: limits what they claim, and knows from their replies when the next message is due and when the
 * next lease ends. Thread-safe.
 *
 * <p>A test polls rarely. A long time between two polls is no outage, and never suspends the reclaiming of leases.
 */
final class Polls {

    private static final Duration NO_GAP = Duration.ofDays(36_500);
    private static final long PAUSE_NANOS = 50_000;

    /** Methods of the store after which there may be another due time. The reply to a poll has what the poll stores. */
    private static final Set<String> STORING = Set.of("send", "reschedule", "replay", "cancel", "cancelUpTo");

    /** The last reply of each shard. A listener that is paused, or whose circuit is open, does not poll. */
    private final Map<Shard, PollReply> replies = new ConcurrentHashMap<>();

    /** Shards in which the context has stored messages since their last poll. */
    private final Set<Shard> changed = ConcurrentHashMap.newKeySet();

    private final AtomicLong claimed = new AtomicLong();
    private final AtomicLong stored = new AtomicLong();
    /** Script calls whose replies are not processed yet. */
    private final Set<ScriptCall> openCalls = ConcurrentHashMap.newKeySet();

    private volatile int mostClaims = PollRequest.MAX_BATCH;
    private volatile @Nullable Duration timeout;

    /** Creates the store through which the context polls. */
    MessageStore store(ScriptRunner scripts, Function<ScriptRunner, MessageStore> factory) {
        MessageStore store = factory.apply(new CountedCalls(scripts));
        return (MessageStore) Proxy.newProxyInstance(
                MessageStore.class.getClassLoader(),
                new Class<?>[] {MessageStore.class},
                (proxy, method, arguments) -> invoke(store, method, arguments));
    }

    private @Nullable Object invoke(MessageStore store, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.getName().equals("poll") && arguments != null) {
            Shard shard = (Shard) arguments[0];
            return store.poll(shard, changed((PollRequest) arguments[1]), (Boolean) arguments[2], (Durability)
                            arguments[3])
                    .thenApply(reply -> replied(shard, reply));
        }
        Object result;
        try {
            result = method.invoke(store, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (STORING.contains(method.getName()) && arguments != null && result instanceof CompletableFuture<?> call) {
            Shard shard = (Shard) arguments[0];
            return call.whenComplete((reply, failure) -> { // also after a failure: the script may have run
                changed.add(shard);
                stored.incrementAndGet();
            });
        }
        return result;
    }

    private PollRequest changed(PollRequest request) {
        Claiming claiming = request.claiming();
        Reclaiming reclaiming = request.reclaiming();
        int most = mostClaims;
        return new PollRequest(
                request.consumer(),
                request.sequence(),
                request.token(),
                new Claiming(
                        Math.min(claiming.max(), most),
                        claiming.maxBytes(),
                        claiming.lease(),
                        claiming.suspect() && most == PollRequest.MAX_BATCH,
                        claiming.receiver(),
                        claiming.handlers()),
                new Reclaiming(
                        reclaiming.max(), reclaiming.maxAttempts(), reclaiming.crashes(), NO_GAP, reclaiming.grace()),
                request.signalDueMessagesLeft(),
                request.settlements(),
                request.extensions(),
                request.sinceLastPoll());
    }

    private Optional<PollReply> replied(Shard shard, Optional<PollReply> reply) {
        reply.ifPresent(present -> {
            replies.put(shard, present);
            changed.remove(shard);
            claimed.addAndGet(present.claims().size());
        });
        return reply;
    }

    /** Whether a shard may have a message that is due at a time, in ms since 1970. */
    boolean mayHaveDue(Shard shard, long millis) {
        PollReply reply = replies.get(shard);
        return reply == null || reply.nextDueMillis() <= millis || changed.contains(shard);
    }

    /** Limits the claims of each poll from now on. */
    void claimAtMost(int messages) {
        mostClaims = messages;
    }

    /** Ends the limit of the claims. */
    void claimAll() {
        mostClaims = PollRequest.MAX_BATCH;
    }

    /** Number of messages that were claimed since the start. */
    long claimed() {
        return claimed.get();
    }

    /** Number of calls since the start that may have stored a message, or made one due, without a poll. */
    long stored() {
        return stored.get();
    }

    /** The next due time or end of a lease after a time, in ms since 1970; {@link PollReply#NEVER} if none is known. */
    long nextAfter(long millis) {
        return replies.values().stream()
                .flatMapToLong(reply -> LongStream.of(reply.nextDueMillis(), reply.nextLeaseEndMillis()))
                .filter(time -> time > millis)
                .min()
                .orElse(PollReply.NEVER);
    }

    /** Sets the longest time to wait for replies; null for no limit. */
    void timeout(@Nullable Duration longest) {
        timeout = longest;
    }

    /**
     * Waits until the replies of all calls are processed. A poll schedules next occurrences after its reply.
     *
     * @throws IllegalStateException if they are not processed within the timeout, or if the thread is interrupted; its
     *     interrupt status stays set. A call that had no reply within the timeout is not awaited again
     */
    void awaitReplies() {
        Duration longest = timeout;
        long start = System.nanoTime();
        while (!openCalls.isEmpty()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("The thread was interrupted while it waited for Redis");
            }
            if (longest != null && System.nanoTime() - start > longest.toNanos()) {
                List<ScriptCall> late = List.copyOf(openCalls);
                late.forEach(openCalls::remove);
                throw new IllegalStateException("Calls of Redis have no reply after " + DurationText.of(longest)
                        + " (delayqueue-test.timeout): " + late);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Counts the calls of a runner. */
    private final class CountedCalls implements ScriptRunner {

        private final ScriptRunner scripts;

        CountedCalls(ScriptRunner scripts) {
            this.scripts = scripts;
        }

        /** A call ends after the stages that depend on it, so that a call that follows it is counted before. */
        @Override
        public CompletableFuture<List<Object>> run(ScriptCall call) {
            if (call.script().name().equals("rearm")) {
                stored.incrementAndGet();
            }
            openCalls.add(call);
            CompletableFuture<List<Object>> reply;
            try {
                reply = scripts.run(call);
            } catch (Throwable e) {
                openCalls.remove(call);
                throw e;
            }
            CompletableFuture<List<Object>> processed = new CompletableFuture<>();
            reply.whenComplete((elements, failure) -> {
                if (failure == null) {
                    processed.complete(elements);
                } else {
                    processed.completeExceptionally(failure);
                }
                openCalls.remove(call);
            });
            return processed;
        }

        @Override
        public boolean isClustered() {
            return scripts.isClustered();
        }

        @Override
        public List<Master> masters() {
            return scripts.masters();
        }
    }
}
