package io.delayqueue.template;

import io.delayqueue.event.EventBus;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Failed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Sends messages after the transaction of the calling thread has committed. Thread-safe. */
final class CommitSender {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final BatchSender batches;
    private final EventBus events;
    private final Duration timeout;
    private final LongSupplier nanoTime;
    private final Consumer<Duration> pause;

    CommitSender(
            BatchSender batches, EventBus events, Duration timeout, LongSupplier nanoTime, Consumer<Duration> pause) {
        this.batches = batches;
        this.events = events;
        this.timeout = timeout;
        this.nanoTime = nanoTime;
        this.pause = pause;
    }

    /**
     * Adds a message to the current transaction.
     *
     * @return false if no transaction is active
     */
    boolean enlist(PendingMessage message) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()
                || !TransactionSynchronizationManager.isActualTransactionActive()) {
            return false;
        }
        current().messages.add(message);
        return true;
    }

    private Commit current() {
        for (TransactionSynchronization known : TransactionSynchronizationManager.getSynchronizations()) {
            if (known instanceof Commit commit && commit.owner() == this && !commit.started) {
                return commit;
            }
        }
        Commit commit = new Commit();
        TransactionSynchronizationManager.registerSynchronization(commit);
        return commit;
    }

    private void deliver(List<PendingMessage> messages) {
        List<SendResult> results = batches.send(messages, this::storeWithRetries);
        List<Failed> failed = results.stream()
                .filter(Failed.class::isInstance)
                .map(Failed.class::cast)
                .toList();
        for (Failed result : failed) {
            events.publish(listener ->
                    listener.sendAfterCommitFailed(result.topic(), result.id(), DelayQueueException.of(result)));
        }
        if (!failed.isEmpty()) {
            throw results.size() == 1 ? DelayQueueException.of(failed.get(0)) : new BatchSendException(results);
        }
    }

    private void storeWithRetries(List<PendingMessage> messages) {
        long start = nanoTime.getAsLong();
        Duration wait = FIRST_PAUSE;
        List<PendingMessage> open = messages;
        while (true) {
            batches.store(open);
            open = open.stream()
                    .filter(message -> SendFailures.isTransient(message.result().join()))
                    .toList();
            Duration left = timeout.minusNanos(nanoTime.getAsLong() - start);
            if (open.isEmpty()
                    || left.isNegative()
                    || left.isZero()
                    || Thread.currentThread().isInterrupted()) {
                return;
            }
            pause.accept(wait.compareTo(left) < 0 ? wait : left);
            wait = wait.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? wait.multipliedBy(2) : LONGEST_PAUSE;
        }
    }

    /** The messages of one transaction. Confined to its thread. */
    private final class Commit implements TransactionSynchronization {

        private final List<PendingMessage> messages = new ArrayList<>();
        private final IdentityHashMap<Object, Integer> savepoints = new IdentityHashMap<>();
        private boolean started;

        CommitSender owner() {
            return CommitSender.this;
        }

        @Override
        public void savepoint(Object savepoint) {
            savepoints.put(savepoint, messages.size());
        }

        @Override
        public void savepointRollback(Object savepoint) {
            // an unknown savepoint was created before the first message
            int kept = savepoints.getOrDefault(savepoint, 0);
            messages.subList(Math.min(kept, messages.size()), messages.size()).clear();
        }

        @Override
        public void afterCommit() {
            started = true;
            deliver(messages);
        }

        /**
         * Sends the messages if {@link #afterCommit()} was not called. Spring does not call it if an earlier
         * synchronization failed, nor for messages that another synchronization's {@code afterCommit} sends. Spring
         * logs exceptions thrown here.
         */
        @Override
        public void afterCompletion(int status) {
            if (status == STATUS_COMMITTED && !started) {
                afterCommit();
            }
        }
    }
}
