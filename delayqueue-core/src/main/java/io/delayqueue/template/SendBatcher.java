package io.delayqueue.template;

import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Batches the single sends to one shard. A message that finds no call in progress is sent at once in its own call.
 * While {@code maxCalls} calls are in progress, further messages wait; the next call takes all of them. Messages leave
 * in the order of their arrival. Calls may overtake each other, so two messages with one id are never in progress at
 * once, which keeps the order per id. Never throws. Thread-safe. Owns no thread: the thread that completes a call
 * starts the next one.
 */
final class SendBatcher {

    /**
     * Most calls to a shard in progress at once. With one call, client and Redis take turns waiting for each other.
     * With many calls, each contains a single message and Redis spends its time on calls.
     */
    static final int CONCURRENT_CALLS = 3;

    /** Added to the wait for the message's own call: its command time-out, which has the better message, ends first. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final Shard shard;
    private final MessageSender sender;
    private final TopicRegistry topics;
    private final SendLimits limits;
    private final Duration timeout;
    private final int maxCalls;

    private final Object lock = new Object();
    private final Queue<Waiting> waiting = new ArrayDeque<>();
    /** Ids of the messages in calls. */
    private final Set<String> inFlight = new HashSet<>();

    private int calls;
    private boolean starting;

    /**
     * Creates a batcher.
     *
     * @param timeout longest time for which {@link #send} blocks, plus one second if the message has its own call
     * @param maxCalls most calls in progress, 1 or more
     */
    SendBatcher(
            Shard shard,
            MessageSender sender,
            TopicRegistry topics,
            SendLimits limits,
            Duration timeout,
            int maxCalls) {
        this.shard = shard;
        this.sender = sender;
        this.topics = topics;
        this.limits = limits;
        this.timeout = timeout;
        this.maxCalls = maxCalls;
    }

    /** A message that waits for a call or is in a call, with its future result. */
    private static final class Waiting {

        private final PendingMessage message;
        private final OutgoingMessage outgoing;
        private final int bytes;
        private final CompletableFuture<SendResult> result = new CompletableFuture<>();

        Waiting(PendingMessage message) {
            this.message = message;
            this.outgoing = message.outgoing();
            this.bytes = message.bytes();
        }
    }

    /** The messages of one call; the three lists have the same order. */
    private record Call(List<Waiting> entries, List<PendingMessage> messages, List<OutgoingMessage> outgoing) {

        Call() {
            this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }

        void add(Waiting entry) {
            entries.add(entry);
            messages.add(entry.message);
            outgoing.add(entry.outgoing);
        }

        void complete(List<SendResult> results) {
            for (int i = 0; i < results.size(); i++) {
                entries.get(i).result.complete(results.get(i));
            }
        }
    }

    /** Stores a message and waits for the result. */
    SendResult send(PendingMessage message) {
        Waiting entry;
        try {
            entry = new Waiting(message);
        } catch (RuntimeException e) {
            return SendFailures.notStored(message, e);
        }
        Call alone = alone(entry);
        if (alone == null) {
            submit(entry);
            return await(entry, timeout);
        }
        // the calling thread starts the call, and connects if necessary
        callEnded(alone, Await.start(() -> stored(alone)));
        return await(entry, timeout.plus(GRACE));
    }

    /** Stores a message without blocking. The future always completes normally. */
    CompletableFuture<SendResult> sendAsync(PendingMessage message) {
        Waiting entry;
        try {
            entry = new Waiting(message);
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(SendFailures.notStored(message, e));
        }
        submit(entry);
        return entry.result;
    }

    /** Returns a call with only this message, or null if the message has to wait. */
    private @Nullable Call alone(Waiting entry) {
        synchronized (lock) {
            if (calls == maxCalls || !waiting.isEmpty() || !inFlight.add(entry.message.id())) {
                return null;
            }
            calls++;
        }
        Call call = new Call();
        call.add(entry);
        return call;
    }

    /** Whether a message with an id waits or is in a call here. Another message with this id must not overtake it. */
    boolean holds(String id) {
        synchronized (lock) {
            return inFlight.contains(id)
                    || waiting.stream().anyMatch(each -> each.message.id().equals(id));
        }
    }

    private void submit(Waiting entry) {
        synchronized (lock) {
            waiting.add(entry);
        }
        startCalls();
    }

    /**
     * Starts calls, on one thread at a time: calls keep their order, and a call that ends at once causes no recursion.
     */
    private void startCalls() {
        synchronized (lock) {
            if (starting) {
                return;
            }
            starting = true;
        }
        for (Call call = nextCall(); call != null; call = nextCall()) {
            callEnded(call, stored(call));
        }
    }

    private @Nullable Call nextCall() {
        synchronized (lock) {
            Call call = calls == maxCalls ? null : gather();
            if (call == null) {
                starting = false;
            } else {
                calls++;
            }
            return call;
        }
    }

    /** Returns the next call, or null. A message whose id is in a call waits, and so do the messages behind it. */
    private @Nullable Call gather() {
        Call call = new Call();
        long bytes = 0;
        for (Waiting next = waiting.peek(); next != null; next = waiting.peek()) {
            int length = call.entries.size();
            bytes += next.bytes;
            if (length == limits.maxBatchElements()
                    || (length > 0 && bytes > limits.maxBatchBytes())
                    || !inFlight.add(next.message.id())) {
                break;
            }
            call.add(waiting.remove());
        }
        return call.entries.isEmpty() ? null : call;
    }

    private CompletableFuture<List<SendResult>> stored(Call call) {
        String id = call.messages.get(0).id();
        if (topics.knownShardOf(shard.topic(), id).isPresent()) {
            return sender.store(shard, call.messages, call.outgoing);
        }
        CompletableFuture<?> registering;
        try {
            registering = topics.shardOf(shard.topic(), id);
        } catch (RuntimeException | Error e) { // the caller waits for the future
            registering = CompletableFuture.failedFuture(e);
        }
        return registering
                .<@Nullable Throwable>handle((known, failure) -> failure)
                .thenCompose(failure -> failure == null
                        ? sender.store(shard, call.messages, call.outgoing)
                        : CompletableFuture.completedFuture(call.messages.stream()
                                .<SendResult>map(message -> SendFailures.notStored(message, failure))
                                .toList()));
    }

    private void callEnded(Call call, CompletableFuture<List<SendResult>> stored) {
        CompletableFuture<?> ignored = stored.whenComplete((results, impossible) -> {
            if (results.size() > 1 && SendFailures.mayConcernOneMessage(results.get(0))) {
                repeatEachAlone(call);
            } else {
                // an interrupt of the calling thread is no failure of Redis
                boolean interrupted = Thread.currentThread().isInterrupted();
                callEnded(call.messages, interrupted ? null : SendFailures.noReply(results.get(0)));
                call.complete(results);
            }
        });
    }

    /** Sends each message in its own call, so that a failing message does not fail the others. */
    private void repeatEachAlone(Call call) {
        AtomicInteger open = new AtomicInteger(call.entries.size());
        AtomicReference<@Nullable Throwable> noReply = new AtomicReference<>();
        for (Waiting entry : call.entries) {
            CompletableFuture<?> ignored = sender.store(shard, List.of(entry.message), List.of(entry.outgoing))
                    .whenComplete((results, impossible) -> {
                        SendResult alone = results.get(0);
                        noReply.compareAndSet(null, SendFailures.noReply(alone));
                        if (open.decrementAndGet() == 0) {
                            callEnded(call.messages, noReply.get());
                        }
                        entry.result.complete(alone);
                    });
        }
    }

    /**
     * Ends a call and starts the next ones.
     *
     * @param noReply the failure if Redis did not reply: then the waiting messages fail at once instead of after
     *     another time-out
     */
    private void callEnded(List<PendingMessage> sent, @Nullable Throwable noReply) {
        List<Waiting> left = List.of();
        synchronized (lock) {
            calls--;
            sent.forEach(message -> inFlight.remove(message.id()));
            if (noReply != null) {
                left = List.copyOf(waiting);
                waiting.clear();
            }
        }
        startCalls();
        left.forEach(entry -> entry.result.complete(SendFailures.notTried(entry.message, noReply)));
    }

    private SendResult await(Waiting entry, Duration time) {
        try {
            return entry.result.get(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return stopWaiting(entry, "Redis did not reply to it and the messages before it within " + time, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return stopWaiting(entry, "the sending thread was interrupted", e);
        } catch (ExecutionException e) {
            return SendFailures.of(entry.message, e);
        }
    }

    private SendResult stopWaiting(Waiting entry, String why, Exception cause) {
        PendingMessage message = entry.message;
        boolean withdrawn;
        synchronized (lock) {
            withdrawn = waiting.remove(entry);
        }
        if (withdrawn) {
            return message.notStored(Reason.NOT_SENT, "it was not sent because " + why + "; send it again", cause);
        }
        SendResult result = entry.result.getNow(null);
        return result != null
                ? result
                : SendFailures.of(
                        message, new RedisCallException(Kind.UNKNOWN, "The wait for the reply ended: " + why, cause));
    }
}
