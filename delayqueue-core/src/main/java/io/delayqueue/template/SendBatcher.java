package io.delayqueue.template;

import io.delayqueue.event.EventBus;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Durability;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Accepted;
import io.delayqueue.message.SendResult.Duplicate;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.message.SendResult.Kept;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.SendResult.Replaced;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.TopicRegisteredAnewException;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Stores the messages of one shard and one durability, in batches. A call takes all waiting messages, up to the limits
 * of a batch. If the batcher is shared by independent senders, a call starts when at least as many messages wait as are
 * in progress. So a message that finds the batcher idle is sent at once, and under load the messages are divided into
 * two calls: Redis executes one while the senders of the other continue. Otherwise a call starts at once, unless
 * {@code maxCalls} calls are in progress. Messages leave in the order of their arrival. Calls may overtake each other,
 * so two messages with one id are never in progress at once, which keeps the order per id. Of a topic whose messages
 * have keys, one call is in progress, which keeps the order per key.
 *
 * <p>If the topic was deleted and registered again with another number of shards, messages are sent to their new
 * shards.
 *
 * <p>Never throws. Thread-safe. Owns no thread: the thread that completes a call starts the next one.
 */
final class SendBatcher {

    /** Maximum number of concurrent calls to a shard. Usually there are two; see the class comment. */
    static final int CONCURRENT_CALLS = 3;

    /** Maximum number of concurrent calls to a shard with the messages of one sender. */
    static final int CALLS_OF_A_BATCH = 2;

    /** More than one is needed only if others register the topic again repeatedly. */
    private static final int REPEATS = 20;

    /** Added to the wait for a message's own call. The command timeout, whose error says more, thus ends first. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final Route route;
    private final MessageStore store;
    private final TopicRegistry topics;
    private final EventBus events;
    private final int maxElements;
    private final int maxBytes;
    private final int maxCalls;
    private final boolean shared;

    private final Object lock = new Object();
    private final Queue<PendingMessage> waiting = new ArrayDeque<>();
    /** Ids of the messages in calls. */
    private final Set<String> inFlight = new HashSet<>();

    private int calls;
    private boolean starting;
    /** Whether the batcher takes no more messages. */
    private boolean retired;
    /** The failure without reply that ended the batcher of one sender. Senders that share a batcher try again. */
    private @Nullable Throwable noReply;

    /** Messages of one id and different routes may overtake each other. */
    record Route(Shard shard, Durability durability) {}

    /**
     * Creates a batcher.
     *
     * @param limits limits of a call; if the batcher is not shared, of all calls in progress together
     * @param maxCalls most calls in progress, 1 or more; with a durability or keys there is one, which all waiting
     *     messages share
     * @param shared whether the messages are of independent senders. Then a call waits until it is worth its cost, and
     *     each message of a failed call is sent alone if one of them may have failed the others
     */
    SendBatcher(
            Route route,
            MessageStore store,
            TopicRegistry topics,
            EventBus events,
            SendLimits limits,
            int maxCalls,
            boolean shared) {
        this.route = route;
        this.store = store;
        this.topics = topics;
        this.events = events;
        boolean inOrder = !shared && topics.mayHaveKeys(route.shard().topic());
        int calls = route.durability().isNone() && !inOrder ? maxCalls : 1;
        this.shared = shared;
        this.maxCalls = shared ? calls : Math.min(calls, limits.maxBatchElements());
        int parts = shared ? 1 : this.maxCalls;
        this.maxElements = limits.maxBatchElements() / parts;
        this.maxBytes = limits.maxBatchBytes() / parts;
    }

    /**
     * Stores a message and waits for the result.
     *
     * @param commandTimeout longest wait, plus one second if the message has its own call; with a durability, the time
     *     for the confirmation is added, and all is doubled, because a call waits for the one before it
     * @return null if this batcher is retired
     */
    @Nullable
    SendResult send(PendingMessage message, Duration commandTimeout) {
        Duration within = route.durability().within();
        Duration timeout =
                within.isZero() ? commandTimeout : commandTimeout.plus(within).multipliedBy(2);
        if (!encoded(message)) {
            return message.result().join();
        }
        if (!takesOwnCall(message)) {
            return add(List.of(message)) ? await(message, timeout) : null;
        }
        List<PendingMessage> call = List.of(message);
        whenStored(call, store(call));
        return await(message, timeout.plus(GRACE));
    }

    /**
     * Stores messages without blocking and completes their results. Encodes some while earlier ones are in a call.
     * Returns false if this batcher is retired.
     */
    boolean submit(List<PendingMessage> messages) {
        boolean taken = true;
        for (int from = 0; taken && from < messages.size(); from += maxElements) {
            List<PendingMessage> next = messages.subList(from, Math.min(messages.size(), from + maxElements));
            taken = add(next.stream().filter(SendBatcher::encoded).toList());
        }
        return taken;
    }

    /** Encodes a message; a message that cannot be encoded gets its result. */
    private static boolean encoded(PendingMessage message) {
        try {
            message.encode();
            return true;
        } catch (RuntimeException e) {
            message.end(SendFailures.notStored(message, e));
            return false;
        }
    }

    /** Begins a call with only this message, unless the message has to wait. */
    private boolean takesOwnCall(PendingMessage message) {
        synchronized (lock) {
            boolean takes = !retired && waiting.isEmpty() && mayCall(1) && inFlight.add(message.id());
            calls += takes ? 1 : 0;
            return takes;
        }
    }

    /** Whether a call may start if this many messages wait. */
    private boolean mayCall(int messages) {
        boolean isWorthACall = !shared || messages >= inFlight.size();
        return calls < maxCalls
                && isWorthACall
                && (calls == 0 || !topics.mayHaveKeys(route.shard().topic()));
    }

    /** Whether a message with an id waits or is in a call here. Another message with this id must not overtake it. */
    boolean holds(String id) {
        synchronized (lock) {
            return inFlight.contains(id)
                    || waiting.stream().anyMatch(each -> each.id().equals(id));
        }
    }

    /** Retires this batcher if it is idle. */
    boolean retire() {
        synchronized (lock) {
            retired = calls == 0 && waiting.isEmpty();
            return retired;
        }
    }

    /** Returns false if this batcher is retired. */
    private boolean add(List<PendingMessage> messages) {
        Throwable ended;
        synchronized (lock) {
            if (retired) {
                return false;
            }
            ended = noReply;
            if (ended == null) {
                waiting.addAll(messages);
            }
        }
        if (ended == null) {
            startCalls();
        } else {
            notTried(messages, ended);
        }
        return true;
    }

    private static void notTried(List<PendingMessage> messages, @Nullable Throwable noReply) {
        messages.forEach(message -> message.end(SendFailures.notTried(message, noReply)));
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
        for (List<PendingMessage> call = nextCall(); !call.isEmpty(); call = nextCall()) {
            whenStored(call, store(call));
        }
    }

    private List<PendingMessage> nextCall() {
        synchronized (lock) {
            List<PendingMessage> call = mayCall(waiting.size()) ? gather() : List.of();
            if (call.isEmpty()) {
                starting = false;
            } else {
                calls++;
            }
            return call;
        }
    }

    /** Takes the messages of the next call. A message whose id is in a call waits, and so do the messages behind it. */
    private List<PendingMessage> gather() {
        List<PendingMessage> call = new ArrayList<>();
        long bytes = 0;
        for (PendingMessage next = waiting.peek(); next != null; next = waiting.peek()) {
            bytes += next.bytes();
            if (call.size() == maxElements || (!call.isEmpty() && bytes > maxBytes) || !inFlight.add(next.id())) {
                break;
            }
            call.add(waiting.remove());
        }
        return call;
    }

    /** Stores the messages of a call. The future always completes normally. */
    private CompletableFuture<List<SendResult>> store(List<PendingMessage> call) {
        return topics.isKnown(route.shard())
                ? storeIn(route.shard(), call).exceptionallyCompose(anew -> storeInTheirShards(call, REPEATS))
                : storeInTheirShards(call, REPEATS);
    }

    /** Stores messages with one script call. Fails only with a {@link TopicRegisteredAnewException}. */
    private CompletableFuture<List<SendResult>> storeIn(Shard target, List<PendingMessage> call) {
        List<OutgoingMessage> outgoing = new ArrayList<>(call.size());
        for (PendingMessage message : call) {
            outgoing.add(message.encoded());
        }
        return Completions.call(() -> store.send(target, outgoing, route.durability()))
                .handle((replies, failure) -> failure == null ? read(call, replies) : failed(call, failure));
    }

    private static List<SendResult> failed(List<PendingMessage> call, Throwable failure) {
        Throwable cause = Completions.cause(failure);
        if (cause instanceof TopicRegisteredAnewException anew) {
            throw anew;
        }
        return call.stream()
                .<SendResult>map(message -> SendFailures.of(message, cause))
                .toList();
    }

    private List<SendResult> read(List<PendingMessage> call, List<SendReply> replies) {
        try {
            return results(call, replies);
        } catch (RuntimeException e) {
            return failed(call, e);
        }
    }

    /**
     * Stores messages in their present shards. Registers the topic if this process has not used it yet.
     *
     * @param repeats how often it is repeated if the topic is registered anew meanwhile
     */
    private CompletableFuture<List<SendResult>> storeInTheirShards(List<PendingMessage> call, int repeats) {
        return Completions.call(() -> topics.shards(route.shard().topic()))
                .thenCompose(shards -> storeInEach(shards, call, repeats))
                .exceptionally(failure -> call.stream()
                        .<SendResult>map(message -> SendFailures.notStored(message, failure))
                        .toList());
    }

    private CompletableFuture<List<SendResult>> storeInEach(
            List<Shard> shards, List<PendingMessage> call, int repeats) {
        Map<Shard, List<PendingMessage>> byShard = call.stream()
                .collect(Collectors.groupingBy(message -> shards.get(Shard.indexOf(message.id(), shards.size()))));
        return Completions.all(byShard.entrySet().stream()
                        .map(group -> storeIn(group.getKey(), group.getValue())
                                .exceptionallyCompose(anew -> repeats > 0
                                        ? storeInTheirShards(group.getValue(), repeats - 1)
                                        : CompletableFuture.failedFuture(anew)))
                        .toList())
                .thenApply(groups -> {
                    Map<String, SendResult> byId = groups.stream()
                            .flatMap(List::stream)
                            .collect(Collectors.toMap(SendResult::id, Function.identity()));
                    return call.stream().map(message -> byId.get(message.id())).toList();
                });
    }

    private List<SendResult> results(List<PendingMessage> call, List<SendReply> replies) {
        List<SendResult> results = new ArrayList<>(call.size());
        int sent = 0;
        for (int i = 0; i < call.size(); i++) {
            PendingMessage message = call.get(i);
            SendReply reported = replies.get(i);
            String topic = message.topic();
            String id = message.id();
            SendResult result = switch (reported.outcome()) {
                case ACCEPTED -> new Accepted(topic, id, reported.dueAt());
                case REPLACED -> new Replaced(topic, id, reported.dueAt());
                case KEPT -> new Kept(topic, id);
                case DUPLICATE -> new Duplicate(topic, id);
                case KEY_MISSING -> SendFailures.keyMissing(message);
                case KEY_UNUSED -> SendFailures.keyUnused(message);
                case FULL -> SendFailures.full(message, reported.limit());
            };
            RedisCallException unconfirmed = reported.unconfirmed();
            results.add(
                    unconfirmed == null || result instanceof Failed ? result : SendFailures.of(message, unconfirmed));
            if (result instanceof Duplicate) {
                events.publish(listener -> listener.duplicateRejected(topic, id));
            } else if (result instanceof Success && !(result instanceof Kept) && message.stored(reported.repeated())) {
                sent++;
            }
        }
        if (sent > 0) {
            int count = sent;
            events.publish(listener -> listener.sent(call.get(0).topic(), count));
        }
        return results;
    }

    private void whenStored(List<PendingMessage> call, CompletableFuture<List<SendResult>> stored) {
        Completions.whenComplete(stored, (results, impossible) -> {
            if (shared && results.size() > 1 && SendFailures.mayConcernOneMessage(results.get(0))) {
                repeatEachAlone(call);
                return;
            }
            // an interrupt of the calling thread is no failure of Redis
            callEnded(call, Thread.currentThread().isInterrupted() ? null : noReply(results));
            for (int i = 0; i < call.size(); i++) {
                call.get(i).end(results.get(i));
            }
        });
    }

    private static @Nullable Throwable noReply(List<SendResult> results) {
        Throwable found = null;
        for (SendResult result : results) {
            if (found == null && result instanceof Failed failed) {
                found = SendFailures.noReply(failed);
            }
        }
        return found;
    }

    /** Sends each message in its own call, so that a failing message does not fail the others. */
    private void repeatEachAlone(List<PendingMessage> call) {
        int atOnce = topics.mayHaveKeys(route.shard().topic()) ? 1 : call.size();
        AtomicReference<@Nullable Throwable> noReply = new AtomicReference<>();
        CompletableFuture<List<SendResult>> stored = Completions.inBatches(call, atOnce, message -> {
            Throwable ended = noReply.get();
            CompletableFuture<List<SendResult>> result = ended == null
                    ? store(List.of(message))
                    : CompletableFuture.completedFuture(List.of(SendFailures.notTried(message, ended)));
            return result.thenApply(results -> {
                noReply.compareAndSet(null, noReply(results));
                message.end(results.get(0));
                return results.get(0);
            });
        });
        Completions.whenComplete(stored, (results, impossible) -> callEnded(call, noReply(results)));
    }

    /**
     * Ends a call and starts the next ones.
     *
     * @param noReply the failure if Redis did not reply: then the waiting messages fail at once instead of after
     *     another timeout
     */
    private void callEnded(List<PendingMessage> call, @Nullable Throwable noReply) {
        List<PendingMessage> left = List.of();
        synchronized (lock) {
            calls--;
            call.forEach(message -> inFlight.remove(message.id()));
            if (noReply != null) {
                left = List.copyOf(waiting);
                waiting.clear();
                this.noReply = shared ? null : noReply;
            }
        }
        startCalls();
        notTried(left, noReply);
    }

    private SendResult await(PendingMessage message, Duration time) {
        try {
            return message.result().get(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return stopWaiting(
                    message, "Redis did not reply to it and the messages before it within " + DurationText.of(time), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return stopWaiting(message, "the sending thread was interrupted", e);
        } catch (ExecutionException e) {
            return SendFailures.of(message, e);
        }
    }

    private SendResult stopWaiting(PendingMessage message, String why, Exception cause) {
        boolean withdrawn;
        synchronized (lock) {
            withdrawn = waiting.remove(message);
        }
        if (withdrawn) {
            return message.notStored(Reason.NOT_SENT, "it was not sent because " + why + "; send it again", cause);
        }
        SendResult result = message.result().getNow(null);
        return result != null
                ? result
                : SendFailures.of(
                        message, new RedisCallException(Kind.UNKNOWN, "The wait for the reply ended: " + why, cause));
    }
}
