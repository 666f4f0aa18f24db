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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends at a steady pace, cancels some of it, sends again what was not accepted, and keeps the times of what happened.
 * One thread sends to some of the topic's shards only, so that it is not held up by the others.
 */
final class Load implements DelayQueueEvents {

    static final String TOPIC = "t";

    private static final int BATCH = 8;
    private static final Duration PACE = Duration.ofMillis(40);

    private final Ledger ledger;
    private final int shards;
    private final List<Thread> senders = new CopyOnWriteArrayList<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private volatile boolean stopped;

    /** Nanoseconds at which each id's send was answered. */
    final Map<String, Long> accepted = new ConcurrentHashMap<>();

    /** Nanoseconds at which each id was first acknowledged or cancelled. */
    final Map<String, Long> ended = new ConcurrentHashMap<>();

    /** Those that were sent or cancelled by a call whose outcome was unknown. */
    final Set<String> unsure = ConcurrentHashMap.newKeySet();

    final Set<String> cancelled = ConcurrentHashMap.newKeySet();
    final Map<String, Integer> acknowledged = new ConcurrentHashMap<>();
    final Queue<String> failures = new ConcurrentLinkedQueue<>();
    final Timeline deliveries = new Timeline();
    final AtomicLong longestSendNanos = new AtomicLong();

    Load(Ledger ledger, int shards) {
        this.ledger = ledger;
        this.shards = shards;
    }

    /** Begins to send to some shards. */
    void begin(QueueNode node, IntPredicate wanted) {
        Thread sender = new Thread(
                () -> {
                    while (!stopped) {
                        long next = System.nanoTime() + PACE.toNanos();
                        round(node, wanted, Duration.ZERO, Duration.ofMillis(1500));
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

    /** Sends a batch, due after a time between two, and cancels one message of another kind. */
    void round(QueueNode node, IntPredicate wanted, Duration from, Duration to) {
        Random random = new Random(numbers.get());
        List<DelayMessage> batch = new ArrayList<>();
        while (batch.size() < BATCH) {
            batch.add(message(
                    wanted, from.plusMillis(random.nextInt((int) (to.minus(from).toMillis() + 1)))));
        }
        DelayMessage unwanted = message(wanted, Duration.ofSeconds(5).plus(to));
        batch.add(unwanted);
        send(node, batch);
        if (accepted.containsKey(unwanted.id())) {
            cancel(node, unwanted.id());
        }
    }

    private DelayMessage message(IntPredicate wanted, Duration delay) {
        while (true) {
            String id = "m" + numbers.incrementAndGet();
            if (wanted.test(Shard.indexOf(id, shards))) {
                return DelayMessage.to(TOPIC).id(id).payload(id).delay(delay).build();
            }
        }
    }

    private void send(QueueNode node, List<DelayMessage> batch) {
        long begun = System.nanoTime();
        List<DelayMessage> open = batch;
        while (!open.isEmpty()) {
            List<DelayMessage> failed = attempt(node, open);
            long now = System.nanoTime();
            for (DelayMessage message : open) {
                if (failed.stream().noneMatch(other -> other.id().equals(message.id()))) {
                    accepted.put(message.id(), now);
                    ledger.sent(message.id());
                }
            }
            open = failed;
            if (!open.isEmpty()) {
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            }
        }
        longestSendNanos.accumulateAndGet(System.nanoTime() - begun, Math::max);
    }

    private List<DelayMessage> attempt(QueueNode node, List<DelayMessage> open) {
        try {
            node.template.sendAll(open);
            return List.of();
        } catch (BatchSendException e) {
            List<DelayMessage> failed = new ArrayList<>();
            for (int i = 0; i < open.size(); i++) {
                SendResult result = e.results().get(i);
                if (result instanceof SendResult.Unknown unknown) {
                    unsure.add(unknown.id());
                    failures.add("unknown: " + unknown.reason());
                    failed.add(unknown.message());
                } else if (result instanceof SendResult.Rejected rejected) {
                    failures.add("rejected: " + rejected.detail());
                    failed.add(open.get(i));
                } else if (result instanceof SendResult.Duplicate) {
                    failures.add("duplicate: " + open.get(i).id());
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
            unsure.add(id);
        }
    }

    /** Handles what is delivered, in no time. */
    @Nullable
    CompletionStage<?> handle(List<Delivery> batch) {
        batch.forEach(delivery -> {
            ledger.begins(delivery);
            ledger.ends(delivery);
        });
        return null;
    }

    @Override
    public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
        long now = System.nanoTime();
        ended.putIfAbsent(id, now);
        acknowledged.merge(id, 1, Integer::sum);
        deliveries.add(now, Shard.indexOf(id, shards));
    }

    /** Waits until no shard holds a message any more. */
    void awaitEmpty(QueueNode node) {
        await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> live(node) == 0);
    }

    private long live(QueueNode node) {
        return Shard.all(TOPIC, shards).stream()
                .map(node.store::awaitCount)
                .mapToLong(counts -> counts.scheduled() + counts.ready() + counts.leased())
                .sum();
    }

    /** Those that were accepted and neither acknowledged nor cancelled. */
    List<String> open() {
        return accepted.keySet().stream()
                .filter(id -> !ended.containsKey(id))
                .sorted()
                .toList();
    }

    /** Those whose end was undone: acknowledged more than once, or although they had been cancelled. */
    List<String> undone() {
        return acknowledged.entrySet().stream()
                .filter(entry -> entry.getValue() > 1 || cancelled.contains(entry.getKey()))
                .map(Map.Entry::getKey)
                .filter(id -> !unsure.contains(id))
                .sorted()
                .toList();
    }
}
