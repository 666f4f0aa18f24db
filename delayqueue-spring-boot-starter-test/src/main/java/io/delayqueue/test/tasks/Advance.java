package io.delayqueue.test.tasks;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.store.Listing;
import io.delayqueue.store.script.ShardReader;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;

/**
 * Moves the time of a namespace to each due time and lease end, and handles what is due there before it moves on. Other
 * tasks that are due meanwhile, such as heartbeats, run once at each of these times, however long the way to it is.
 *
 * @param batchSize largest batch of a shard's listeners
 * @param runHandlers runs the handlers that tasks have given
 */
record Advance(
        TestTime time,
        Polls polls,
        RunningHandlers handlers,
        ManualTaskScheduler scheduler,
        ManualSignals signals,
        ShardReader reader,
        ToIntFunction<Shard> batchSize,
        Runnable runHandlers) {

    private static final int MAX_RUNS = 100_000;
    /** A poller of a listener exists after its shards were read, in one run, and has opened its shard after another. */
    private static final int RUNS_TO_OPEN = 3;

    private record Next(Shard shard, MessageSnapshot message) {}

    /** Advances the time. Only one thread calls this. */
    void by(Duration duration) {
        try (TestTime.Stopped unused = time.stop()) {
            long end = time.micros() + duration.toNanos() / 1000;
            open();
            settle();
            while (time.micros() < end) {
                long next = polls.nextAfter(time.micros() / 1000) * 1000;
                time.moveTo(Math.min(end, next));
                settle();
            }
        } finally {
            polls.claimAll();
        }
    }

    /** Lets new listeners open their shards. They claim nothing yet, so that the order is kept. */
    private void open() {
        polls.claimAtMost(0);
        for (int run = 0; run < RUNS_TO_OPEN; run++) {
            scheduler.runDue(runHandlers);
        }
    }

    /**
     * Handles messages until nothing is due. A task, or another thread of the application, may store a message after the
     * pollers have polled: they poll again then.
     */
    private void settle() {
        long before;
        int runs = 0;
        do {
            requireEnd(runs++);
            polls.awaitReplies();
            handleInOrder();
            before = polls.claimed() + polls.stored();
            runTasks();
        } while (polls.claimed() + polls.stored() > before);
    }

    /** Handles due messages one by one, in the order of their due times and ids. */
    private void handleInOrder() {
        Set<Shard> waiting = new HashSet<>(); // their messages wait for a limit, a key, or the end of a pause
        int runs = 0;
        for (Optional<Shard> next = next(waiting); next.isPresent(); next = next(waiting)) {
            requireEnd(runs++);
            if (handle(next.get())) {
                waiting.clear(); // it may have given a place back, or sent a message
            } else {
                waiting.add(next.get());
            }
        }
    }

    /** Finds the shard of the next due message. */
    private Optional<Shard> next(Set<Shard> without) {
        long now = time.micros() / 1000;
        List<Shard> shards = signals.shards().stream()
                .filter(shard -> !without.contains(shard) && polls.mayHaveDue(shard, now))
                .toList();
        return shards.size() == 1 ? Optional.of(shards.get(0)) : first(shards);
    }

    private Optional<Shard> first(List<Shard> shards) {
        Map<Shard, CompletableFuture<Listing>> listings = new HashMap<>();
        shards.forEach(shard -> listings.put(shard, reader.list(shard, MessageState.READY, null, 1)));
        return listings.entrySet().stream()
                .flatMap(entry -> Await.result(entry.getValue()).messages().stream()
                        .map(message -> new Next(entry.getKey(), message)))
                .min(Comparator.comparing((Next next) -> next.message().dueAt())
                        .thenComparing(next -> next.message().id()))
                .map(Next::shard);
    }

    /** Handles the next message of a shard, or its next batch, and returns whether there was one. */
    private boolean handle(Shard shard) {
        long before = polls.claimed();
        for (SignalListener poller : signals.pollers(shard)) {
            if (poller instanceof PeriodicTask task && polls.claimed() == before) {
                polls.claimAtMost(batchSize.applyAsInt(shard));
                poll(poller, task);
                if (polls.claimed() > before) {
                    polls.claimAtMost(0);
                    poll(poller, task); // settles
                    polls.awaitReplies();
                }
            }
        }
        return polls.claimed() > before;
    }

    private void poll(SignalListener poller, PeriodicTask task) {
        poller.resubscribed();
        scheduler.runIfDue(task);
        runHandlers.run();
        handlers.await();
    }

    /** Runs all tasks until none is due, and with them what {@link #handleInOrder} does not: notifications and receivers. */
    private void runTasks() {
        polls.awaitReplies();
        polls.claimAll();
        signals.wakeAll();
        int runs = 0;
        while (scheduler.runDue(this::handleAll) > 0) {
            requireEnd(runs++);
        }
        polls.awaitReplies();
    }

    /** Handlers, tasks and other threads may send messages without end. */
    private void requireEnd(int runs) {
        if (runs == MAX_RUNS) {
            throw new IllegalStateException("Messages or tasks are still due, or messages are still sent, at "
                    + time.clock().instant() + " after " + MAX_RUNS + " runs");
        }
    }

    private void handleAll() {
        runHandlers.run();
        handlers.await();
    }
}
