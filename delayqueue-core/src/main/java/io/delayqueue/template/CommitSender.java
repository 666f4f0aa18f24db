package io.delayqueue.template;

import io.delayqueue.event.EventBus;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.message.SendResult.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sends messages after the transaction of the calling thread has committed. If there is an outbox that can join the
 * transaction, it stores the messages first, and sends those that this class does not send at its first attempt.
 * Thread-safe.
 */
final class CommitSender {

    private static final Log log = LogFactory.getLog(CommitSender.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    /** If a transaction commits later than this after it has written a message, the delay starts again at the commit. */
    private static final long EXACT_DELAY = Duration.ofMillis(10).toNanos();

    private final DelayQueueTemplate sender;
    private final MessageIds ids;
    private final EventBus events;
    private final Duration timeout;
    private final LongSupplier nanoTime;
    private final Consumer<Duration> pause;
    private final Supplier<@Nullable CommitOutbox> outboxes;

    /**
     * Creates it.
     *
     * @param sender sends the messages of a transaction
     * @param ids generates the nonces of stored messages
     */
    CommitSender(DelayQueueTemplate sender, DelayQueueTemplateBuilder builder, MessageIds ids) {
        this.sender = sender;
        this.ids = ids;
        this.events = builder.events;
        this.timeout = builder.afterCommitTimeout;
        this.nanoTime = builder.nanoTime;
        this.pause = builder.pause;
        this.outboxes = builder.outbox;
    }

    /**
     * A message of a transaction.
     *
     * @param row its row in the outbox; null if the outbox does not store it
     * @param writtenAt when the row was written, by the monotonic clock
     */
    private record Enlisted(
            PendingMessage message, @Nullable Long row, long writtenAt) {

        long storedRow() {
            return Objects.requireNonNull(row);
        }
    }

    /**
     * Adds a message to the current transaction.
     *
     * @return false if no transaction is active
     * @throws DelayQueueException if an interceptor rejects a message that the outbox would store
     */
    boolean enlist(PendingMessage message) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()
                || !TransactionSynchronizationManager.isActualTransactionActive()) {
            return false;
        }
        CommitOutbox outbox = outboxes.get();
        CommitOutbox joined = outbox != null && outbox.joinsTransaction() ? outbox : null;
        if (outbox != null && joined == null && log.isDebugEnabled()) {
            log.debug("The outbox cannot join the current transaction, so a message to topic " + message.topic()
                    + " is sent after the commit without it");
        }
        Commit commit = current();
        Long row = joined == null ? null : write(message, joined);
        commit.messages.add(new Enlisted(message, row, nanoTime.getAsLong()));
        return true;
    }

    /** Writes a message to the outbox when it has passed the interceptors. Returns its row. */
    private long write(PendingMessage message, CommitOutbox joined) {
        CompletableFuture<SendResult> intercepted = sender.hold(message);
        if (!message.endHolding()) {
            throw DelayQueueException.of(
                    intercepted.getNow(message.proceededLate()) instanceof Failed failed
                            ? failed
                            : message.notStored(Reason.FAILED, "an interceptor returned a result of its own", null));
        }
        try {
            return joined.write(message.toOutbox(ids.next(), joined.remembered()));
        } catch (RuntimeException e) {
            message.release(message.notStored(Reason.FAILED, "the outbox failed: " + e.getMessage(), e));
            throw e;
        }
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

    private void deliver(List<Enlisted> enlisted) {
        List<PendingMessage> unstored = new ArrayList<>();
        List<Enlisted> stored = new ArrayList<>();
        for (Enlisted each : enlisted) {
            if (each.row() == null) {
                unstored.add(each.message());
            } else {
                stored.add(each);
            }
        }
        List<SendResult> results = new ArrayList<>();
        CommitOutbox outbox = outboxes.get();
        if (outbox != null && !stored.isEmpty()) {
            results.addAll(sendStored(stored, outbox));
        }
        if (!unstored.isEmpty()) {
            results.addAll(sender.sendAll(unstored, this::storeWithRetries));
        }
        List<Failed> failed = failed(results);
        if (!failed.isEmpty()) {
            throw results.size() == 1 ? DelayQueueException.of(failed.get(0)) : new BatchSendException(results);
        }
    }

    /** Publishes the failures among results. */
    private List<Failed> failed(List<SendResult> results) {
        List<Failed> failed = results.stream()
                .filter(Failed.class::isInstance)
                .map(Failed.class::cast)
                .toList();
        for (Failed result : failed) {
            events.publish(listener ->
                    listener.sendAfterCommitFailed(result.topic(), result.id(), DelayQueueException.of(result)));
        }
        return failed;
    }

    /**
     * Sends stored messages once.
     *
     * @return the results that are final. The outbox sends the other messages later
     */
    private List<SendResult> sendStored(List<Enlisted> stored, CommitOutbox outbox) {
        Set<Long> sendable = outbox.sendable(
                stored.stream().map(Enlisted::storedRow).toList(),
                stored.stream()
                        .filter(each -> !each.message().hasNewId())
                        .map(Enlisted::storedRow)
                        .toList());
        List<PendingMessage> sent = stored.stream()
                .filter(each -> sendable.contains(each.storedRow()))
                .map(Enlisted::message)
                .toList();
        sender.store(sent, true);
        Map<Long, SendResult> results = new HashMap<>();
        for (Enlisted each : stored) {
            if (sendable.contains(each.storedRow())) {
                results.put(each.storedRow(), each.message().result().join());
            }
        }
        outbox.settle(results);
        for (Enlisted each : stored) {
            SendResult result = results.get(each.storedRow());
            each.message()
                    .release(
                            result != null
                                    ? result
                                    : each.message()
                                            .notStored(Reason.NOT_SENT, "the outbox sends the message later", null));
        }
        return sent.stream()
                .map(message -> message.result().join())
                .filter(result -> !SendFailures.isTransient(result))
                .toList();
    }

    private void storeWithRetries(List<PendingMessage> messages) {
        long start = nanoTime.getAsLong();
        Duration wait = FIRST_PAUSE;
        List<PendingMessage> open = messages;
        while (true) {
            sender.store(open, false);
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
            open.forEach(PendingMessage::repeat);
            pause.accept(wait.compareTo(left) < 0 ? wait : left);
            wait = wait.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? wait.multipliedBy(2) : LONGEST_PAUSE;
        }
    }

    /** The messages of one transaction. Confined to its thread. */
    private final class Commit implements TransactionSynchronization {

        private final List<Enlisted> messages = new ArrayList<>();
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
            List<Enlisted> rolledBack = messages.subList(Math.min(kept, messages.size()), messages.size());
            rolledBack.forEach(Commit::notSent);
            rolledBack.clear();
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            long now = nanoTime.getAsLong();
            List<Long> early = messages.stream()
                    .filter(each -> each.row() != null
                            && each.message().due().relative()
                            && now - each.writtenAt() > EXACT_DELAY)
                    .map(Enlisted::storedRow)
                    .toList();
            CommitOutbox outbox = outboxes.get();
            if (outbox != null && !early.isEmpty()) {
                outbox.restartDelays(early);
            }
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
            } else if (status != STATUS_COMMITTED) {
                messages.forEach(Commit::notSent);
            }
        }

        /** Ends the observation of a message that the interceptors have passed. */
        private static void notSent(Enlisted enlisted) {
            PendingMessage message = enlisted.message();
            message.release(message.notStored(Reason.NOT_SENT, "the transaction was not committed", null));
        }
    }
}
