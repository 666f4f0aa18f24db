package io.delayqueue.template;

import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Refused;
import io.delayqueue.message.Shard;
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
 * The single sends to one shard, which share script calls when they come at one time. Only so many calls are under way;
 * who comes meanwhile waits, and goes with the next call together with all others who wait. A message that has the lane
 * for itself is a call of its own at once. Messages leave in the order in which they came; since calls overtake each
 * other, only those of one id are stored in it. Never throws. Thread-safe; has
 * no thread of its own: who ends a call starts the next.
 */
final class SendLane {

    /**
     * How many calls of a shard are under way at most. With one, client and Redis wait for each other by turns; with many,
     * each carries one message only, and Redis' time is spent on calls.
     */
    static final int FLIGHTS = 3;

    private final Shard shard;
    private final MessageSender sender;
    private final TopicRegistry topics;
    private final SendLimits limits;
    private final Duration patience;
    private final int maxFlights;

    private final Object lock = new Object();
    private final Queue<Waiting> waiting = new ArrayDeque<>();
    /** Ids of messages that are in a call. */
    private final Set<String> flying = new HashSet<>();

    private int flights;
    private boolean starting;

    /**
     * An empty lane.
     *
     * @param patience how long a caller is blocked at most, once its message waits
     * @param maxFlights how many calls are under way at most, 1 or more; messages of one id are never in two of them, so
     *     that they keep their order, while others may overtake each other
     */
    SendLane(
            Shard shard,
            MessageSender sender,
            TopicRegistry topics,
            SendLimits limits,
            Duration patience,
            int maxFlights) {
        this.shard = shard;
        this.sender = sender;
        this.topics = topics;
        this.limits = limits;
        this.patience = patience;
        this.maxFlights = maxFlights;
    }

    /** A message on its way into a call and, in the end, what became of it. */
    private static final class Waiting {

        private final PendingMessage message;
        private final OutgoingMessage outgoing;
        private final int bytes;
        private final CompletableFuture<SendResult> told = new CompletableFuture<>();

        Waiting(PendingMessage message) {
            this.message = message;
            this.outgoing = message.outgoing();
            this.bytes = message.bytes();
        }
    }

    /** Those that go together, each at the same place of all lists. */
    private record Call(List<Waiting> passengers, List<PendingMessage> messages, List<OutgoingMessage> outgoing) {

        Call() {
            this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }

        void add(Waiting passenger) {
            passengers.add(passenger);
            messages.add(passenger.message);
            outgoing.add(passenger.outgoing);
        }

        void tell(List<SendResult> results) {
            for (int i = 0; i < results.size(); i++) {
                passengers.get(i).told.complete(results.get(i));
            }
        }
    }

    /** Stores a message and waits. */
    SendResult send(PendingMessage message) {
        if (mayFlyAlone(message)) {
            return sendAlone(message);
        }
        Waiting passenger;
        try {
            passenger = new Waiting(message);
        } catch (RuntimeException e) {
            return SendFailures.notStored(message, e);
        }
        submit(passenger);
        return await(passenger);
    }

    /** The same without blocking; ends normally. */
    CompletableFuture<SendResult> sendAsync(PendingMessage message) {
        Waiting passenger;
        try {
            passenger = new Waiting(message);
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(SendFailures.notStored(message, e));
        }
        submit(passenger);
        return passenger.told;
    }

    private boolean mayFlyAlone(PendingMessage message) {
        synchronized (lock) {
            if (flights == maxFlights || !waiting.isEmpty() || !flying.add(message.id())) {
                return false;
            }
            flights++;
            return true;
        }
    }

    /** Whether a message of an id is on its way here: another one must not overtake it. */
    boolean holds(String id) {
        synchronized (lock) {
            return flying.contains(id)
                    || waiting.stream().anyMatch(each -> each.message.id().equals(id));
        }
    }

    /** On the caller's own thread, which may connect and needs nobody to be woken by. */
    private SendResult sendAlone(PendingMessage message) {
        Throwable silence = null;
        try {
            SendResult result = sender.send(message);
            // that this thread was interrupted says nothing of Redis
            silence = Thread.currentThread().isInterrupted() ? null : SendFailures.silence(result);
            return result;
        } finally {
            land(List.of(message), silence);
        }
    }

    private void submit(Waiting passenger) {
        synchronized (lock) {
            waiting.add(passenger);
        }
        startCalls();
    }

    /** By one thread at a time: so calls leave in their order, and one that ends at once starts no other from within. */
    private void startCalls() {
        synchronized (lock) {
            if (starting) {
                return;
            }
            starting = true;
        }
        for (Call call = nextCall(); call != null; call = nextCall()) {
            start(call);
        }
    }

    private @Nullable Call nextCall() {
        synchronized (lock) {
            Call call = flights == maxFlights ? null : gather();
            if (call == null) {
                starting = false;
            } else {
                flights++;
            }
            return call;
        }
    }

    /** No two messages of one id are under way at once: the second waits, and those behind it. Null if none may go. */
    private @Nullable Call gather() {
        Call call = new Call();
        long bytes = 0;
        for (Waiting next = waiting.peek(); next != null; next = waiting.peek()) {
            int length = call.passengers.size();
            bytes += next.bytes;
            if (length == limits.maxBatchElements()
                    || (length > 0 && bytes > limits.maxBatchBytes())
                    || !flying.add(next.message.id())) {
                break;
            }
            call.add(waiting.remove());
        }
        return call.passengers.isEmpty() ? null : call;
    }

    private void start(Call call) {
        String id = call.messages.get(0).id();
        if (topics.knownShardOf(shard.topic(), id).isPresent()) {
            store(call);
            return;
        }
        CompletableFuture<?> registering;
        try {
            registering = topics.shardOfAsync(shard.topic(), id);
        } catch (RuntimeException e) {
            registering = CompletableFuture.failedFuture(e);
        }
        CompletableFuture<?> ignored = registering.whenComplete((known, failure) -> {
            if (failure == null) {
                store(call);
                return;
            }
            List<SendResult> results = new ArrayList<>(call.messages.size());
            call.messages.forEach(message -> results.add(SendFailures.notStored(message, failure)));
            land(call.messages, SendFailures.silence(results.get(0)));
            call.tell(results);
        });
    }

    private void store(Call call) {
        CompletableFuture<?> ignored = sender.store(shard, call.messages, call.outgoing)
                .whenComplete((results, impossible) -> {
                    if (results.size() > 1 && SendFailures.mayBeANeighbours(results.get(0))) {
                        repeatEachAlone(call, results);
                    } else {
                        land(call.messages, SendFailures.silence(results.get(0)));
                        call.tell(results);
                    }
                });
    }

    /** All at once, as they would have gone without a lane: what holds one up must not hold up the others. */
    private void repeatEachAlone(Call call, List<SendResult> before) {
        AtomicInteger open = new AtomicInteger(before.size());
        AtomicReference<@Nullable Throwable> silence = new AtomicReference<>();
        for (int i = 0; i < before.size(); i++) {
            Waiting passenger = call.passengers.get(i);
            SendResult together = before.get(i);
            CompletableFuture<?> ignored = sender.store(shard, List.of(passenger.message), List.of(passenger.outgoing))
                    .whenComplete((results, impossible) -> {
                        SendResult alone = results.get(0);
                        silence.compareAndSet(null, SendFailures.silence(alone));
                        if (open.decrementAndGet() == 0) {
                            land(call.messages, silence.get());
                        }
                        passenger.told.complete(SendFailures.afterRepeat(together, alone));
                    });
        }
    }

    /**
     * A call has ended.
     *
     * @param silence why Redis gave no answer, if it gave none: those who wait don't wait for a second time-out
     */
    private void land(List<PendingMessage> landed, @Nullable Throwable silence) {
        List<Waiting> left = List.of();
        synchronized (lock) {
            flights--;
            landed.forEach(message -> flying.remove(message.id()));
            if (silence != null) {
                left = List.copyOf(waiting);
                waiting.clear();
            }
        }
        startCalls();
        left.forEach(passenger -> passenger.told.complete(SendFailures.notTried(passenger.message, silence)));
    }

    private SendResult await(Waiting passenger) {
        try {
            return passenger.told.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return givenUp(
                    passenger, "Redis took longer than " + patience + " for the messages before it and for it", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return givenUp(passenger, "the sending thread was interrupted", e);
        } catch (ExecutionException e) {
            return SendFailures.of(passenger.message, e);
        }
    }

    private SendResult givenUp(Waiting passenger, String why, Exception cause) {
        PendingMessage message = passenger.message;
        boolean withdrawn;
        synchronized (lock) {
            withdrawn = waiting.remove(passenger);
        }
        if (withdrawn) {
            return new Refused(
                    message.topic(), message.id(), "it was not sent, since " + why + "; send it again", cause);
        }
        SendResult told = passenger.told.getNow(null);
        return told != null
                ? told
                : SendFailures.of(
                        message,
                        new RedisCallException(Kind.UNKNOWN, "No answer was waited for any longer: " + why, cause));
    }
}
