package io.delayqueue.template;

import io.delayqueue.event.EventBus;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.message.SendResult.Unknown;
import io.delayqueue.template.MessagePreparer.Prepared;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Keeps messages until the transaction of the calling thread has committed. Thread-safe. */
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
     * Takes a message into the transaction.
     *
     * @return false if there is none
     */
    boolean enlist(Prepared message) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()
                || !TransactionSynchronizationManager.isActualTransactionActive()) {
            return false;
        }
        current().messages.add(message);
        return true;
    }

    private Commit current() {
        for (TransactionSynchronization known : TransactionSynchronizationManager.getSynchronizations()) {
            if (known instanceof Commit commit && commit.owner() == this && !commit.begun) {
                return commit;
            }
        }
        Commit commit = new Commit();
        TransactionSynchronizationManager.registerSynchronization(commit);
        return commit;
    }

    private void deliver(List<Prepared> messages) {
        List<SendResult> results = batches.send(messages, this::storeRepeatedly);
        List<Failed> failed = results.stream()
                .filter(Failed.class::isInstance)
                .map(Failed.class::cast)
                .toList();
        for (Failed result : failed) {
            events.publish(listener ->
                    listener.sendAfterCommitFailed(result.topic(), result.id(), SendFailures.exception(result)));
        }
        if (!failed.isEmpty()) {
            throw results.size() == 1 ? SendFailures.exception(failed.get(0)) : new BatchSendException(results);
        }
    }

    private List<SendResult> storeRepeatedly(List<PendingMessage> messages) {
        long start = nanoTime.getAsLong();
        List<SendResult> results = new ArrayList<>(batches.store(messages));
        Duration wait = FIRST_PAUSE;
        while (results.stream().anyMatch(SendFailures::isPassing)) {
            Duration left = timeout.minusNanos(nanoTime.getAsLong() - start);
            if (left.isNegative() || left.isZero() || Thread.currentThread().isInterrupted()) {
                break;
            }
            pause.accept(wait.compareTo(left) < 0 ? wait : left);
            wait = wait.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? wait.multipliedBy(2) : LONGEST_PAUSE;
            repeat(messages, results);
        }
        return results;
    }

    private void repeat(List<PendingMessage> messages, List<SendResult> results) {
        int[] open = IntStream.range(0, results.size())
                .filter(i -> SendFailures.isPassing(results.get(i)))
                .toArray();
        List<SendResult> again =
                batches.store(IntStream.of(open).mapToObj(messages::get).toList());
        for (int i = 0; i < open.length; i++) {
            SendResult before = results.get(open[i]);
            SendResult now = again.get(i);
            // what may have been stored by an earlier attempt isn't "not stored" because a later one did not get
            // through
            if (!(before instanceof Unknown && SendFailures.isPassing(now))) {
                results.set(open[i], now);
            }
        }
    }

    /** The messages of one transaction. Confined to its thread. */
    private final class Commit implements TransactionSynchronization {

        private final List<Prepared> messages = new ArrayList<>();
        private final IdentityHashMap<Object, Integer> savepoints = new IdentityHashMap<>();
        private boolean begun;

        CommitSender owner() {
            return CommitSender.this;
        }

        @Override
        public void savepoint(Object savepoint) {
            savepoints.put(savepoint, messages.size());
        }

        @Override
        public void savepointRollback(Object savepoint) {
            // one that isn't known was made before the first message
            int kept = savepoints.getOrDefault(savepoint, 0);
            messages.subList(Math.min(kept, messages.size()), messages.size()).clear();
        }

        @Override
        public void afterCommit() {
            begun = true;
            deliver(messages);
        }

        /**
         * Sends what {@link #afterCommit()} was not called for: it isn't when another synchronization failed before, nor
         * for messages that were sent by another one's {@code afterCommit}. Here exceptions are logged by Spring.
         */
        @Override
        public void afterCompletion(int status) {
            if (status == STATUS_COMMITTED && !begun) {
                afterCommit();
            }
        }
    }
}
