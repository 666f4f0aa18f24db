package io.delayqueue.proof;

import static org.awaitility.Awaitility.await;

import io.delayqueue.container.QueueNode;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.template.BatchSendException;
import io.delayqueue.template.DelayQueueException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends batches at a fixed interval, cancels one message of each, repeats rejected sends, and records the time of each
 * result. Each sender thread sends to a subset of the shards, so that other shards cannot block it.
 */
final class Load implements DelayQueueEvents {

    static final String TOPIC = "t";

    private static final int BATCH = 8;
    private static final Duration SEND_INTERVAL = Duration.ofMillis(40);

    private final Ledger ledger;
    private final int shards;
    private final List<Thread> senders = new CopyOnWriteArrayList<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private volatile boolean stopped;

    /** {@link System#nanoTime()} at which the accepted attempt to send began, by message id. */
    final Map<String, Long> begun = new ConcurrentHashMap<>();

    /** {@link System#nanoTime()} at which each send was accepted, by message id. */
    final Map<String, Long> accepted = new ConcurrentHashMap<>();

    /** {@link System#nanoTime()} at which each message was first acknowledged or cancelled, by message id. */
    final Map<String, Long> ended = new ConcurrentHashMap<>();

    /** Ids of messages with a send or cancel of unknown outcome. */
    final Set<String> unknownOutcomes = ConcurrentHashMap.newKeySet();

    final Set<String> cancelled = ConcurrentHashMap.newKeySet();
    final Map<String, Integer> acknowledged = new ConcurrentHashMap<>();
    final Queue<String> failures = new ConcurrentLinkedQueue<>();
    final Timeline deliveries = new Timeline();

    Load(Ledger ledger, int shards) {
        this.ledger = ledger;
        this.shards = shards;
    }

    /** Starts a thread that sends to the given shards. */
    void start(QueueNode node, IntPredicate shardFilter) {
        Thread sender = new Thread(
                () -> {
                    while (!stopped) {
                        long next = System.nanoTime() + SEND_INTERVAL.toNanos();
                        sendRound(node, shardFilter, Duration.ZERO, Duration.ofMillis(1500));
                        LockSupport.parkNanos(next - System.nanoTime());
                    }
                },
                "load");
        sender.setDaemon(true);
        senders.add(sender);
        sender.start();
    }

    void stop() {
        stopped = true;
        senders.forEach(sender -> {
            try {
                sender.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Sends a batch with delays between {@code from} and {@code to}, and a message that is then cancelled. */
    void sendRound(QueueNode node, IntPredicate shardFilter, Duration from, Duration to) {
        Random random = new Random(numbers.get());
        List<DelayMessage> batch = new ArrayList<>();
        while (batch.size() < BATCH) {
            batch.add(message(shardFilter, from.plusMillis(random.nextInt((int)
                    (to.minus(from).toMillis() + 1)))));
        }
        DelayMessage toCancel = message(shardFilter, Duration.ofSeconds(5).plus(to));
        batch.add(toCancel);
        send(node, batch);
        if (accepted.containsKey(toCancel.id())) {
            cancel(node, toCancel.id());
        }
    }

    private DelayMessage message(IntPredicate shardFilter, Duration delay) {
        while (true) {
            String id = "m" + numbers.incrementAndGet();
            if (shardFilter.test(Shard.indexOf(id, shards))) {
                return DelayMessage.to(TOPIC).id(id).payload(id).delay(delay).build();
            }
        }
    }

    private void send(QueueNode node, List<DelayMessage> batch) {
        List<DelayMessage> pending = batch;
        while (!pending.isEmpty()) {
            long attempted = System.nanoTime();
            List<DelayMessage> failed = attempt(node, pending);
            long now = System.nanoTime();
            for (DelayMessage message : pending) {
                if (failed.stream().noneMatch(other -> other.id().equals(message.id()))) {
                    begun.put(message.id(), attempted);
                    accepted.put(message.id(), now);
                    ledger.sent(message.id());
                }
            }
            pending = failed;
            if (!pending.isEmpty()) {
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            }
        }
    }

    private List<DelayMessage> attempt(QueueNode node, List<DelayMessage> pending) {
        try {
            node.template.sendAll(pending);
            return List.of();
        } catch (BatchSendException e) {
            List<DelayMessage> failed = new ArrayList<>();
            for (int i = 0; i < pending.size(); i++) {
                SendResult result = e.results().get(i);
                if (result instanceof SendResult.Unknown unknown) {
                    unknownOutcomes.add(unknown.id());
                    failures.add("unknown: " + unknown.reason());
                    failed.add(unknown.message());
                } else if (result instanceof SendResult.Rejected rejected) {
                    failures.add("rejected: " + rejected.detail());
                    failed.add(pending.get(i));
                } else if (result instanceof SendResult.Duplicate) {
                    failures.add("duplicate: " + pending.get(i).id());
                }
            }
            return failed;
        }
    }

    private void cancel(QueueNode node, String id) {
        try {
            CancelOutcome outcome = node.template.cancel(TOPIC, id);
            if (outcome.isCancelled()) {
                cancelled.add(id);
                ledger.cancelled(id);
                ended.putIfAbsent(id, System.nanoTime());
            }
        } catch (DelayQueueException e) {
            unknownOutcomes.add(id);
        }
    }

    /** Handles a message without delay. Each tenth one fails at first. */
    @Nullable
    CompletionStage<?> handle(List<Delivery> batch) {
        Delivery delivery = batch.get(0);
        ledger.handlerStarted(delivery);
        ledger.handlerEnded(delivery);
        if (delivery.id().endsWith("5") && delivery.attempt() == 1) {
            throw new IllegalStateException("on purpose");
        }
        return null;
    }

    @Override
    public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
        long now = System.nanoTime();
        ended.putIfAbsent(id, now);
        acknowledged.merge(id, 1, Integer::sum);
        deliveries.add(now, Shard.indexOf(id, shards));
    }

    /** Waits until no shard holds a message. */
    void awaitEmpty(QueueNode node) {
        await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> live(node) == 0);
    }

    private long live(QueueNode node) {
        return Shard.all(TOPIC, shards).stream()
                .map(shard -> Await.result(node.store.count(shard)).counts())
                .mapToLong(counts -> counts.scheduled() + counts.ready() + counts.leased())
                .sum();
    }

    /** Ids of messages that were accepted but neither acknowledged nor cancelled. */
    List<String> unsettled() {
        return accepted.keySet().stream()
                .filter(id -> !ended.containsKey(id))
                .sorted()
                .toList();
    }

    /** Ids of messages that were acknowledged more than once or after a successful cancel. */
    List<String> settledTwice() {
        return acknowledged.entrySet().stream()
                .filter(entry -> entry.getValue() > 1 || cancelled.contains(entry.getKey()))
                .map(Map.Entry::getKey)
                .filter(id -> !unknownOutcomes.contains(id))
                .sorted()
                .toList();
    }
}
