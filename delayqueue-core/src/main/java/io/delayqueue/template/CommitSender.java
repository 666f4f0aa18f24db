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
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sends and cancels messages after the transaction of the calling thread has committed. If there is an outbox that can join
 * the transaction, it stores these operations first, and does those that this class does not do at its first attempt.
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
    private final BooleanSupplier nonBlockingThread;

    /**
     * Creates it.
     *
     * @param sender sends and cancels the messages of a transaction
     * @param ids generates the nonces of stored messages and cancels
     */
    CommitSender(DelayQueueTemplate sender, DelayQueueTemplateBuilder builder, MessageIds ids) {
        this.sender = sender;
        this.ids = ids;
        this.events = builder.events;
        this.timeout = builder.afterCommitTimeout;
        this.nanoTime = builder.nanoTime;
        this.pause = builder.pause;
        this.outboxes = builder.outbox;
        this.nonBlockingThread = builder.nonBlockingThread;
    }

    /**
     * An operation of a transaction.
     *
     * @param row its row in the outbox; null if the outbox does not store it
     * @param writtenAt when the row was written, by the monotonic clock
     */
    private record Enlisted(
            CommitOperation operation, @Nullable Long row, long writtenAt) {

        long storedRow() {
            return Objects.requireNonNull(row);
        }

        boolean hasDelay() {
            return operation instanceof PendingMessage message && message.due().relative();
        }
    }

    /** An operation with its final result. */
    private record Done(CommitOperation operation, SendResult result) {

        boolean isSend() {
            return operation instanceof PendingMessage;
        }
    }

    /**
     * Adds an operation to the current transaction.
     *
     * @return false if no transaction is active
     * @throws DelayQueueException if an interceptor rejects a message that the outbox would store
     * @throws IllegalStateException if no transaction is active and the thread may be that of a reactive transaction
     */
    boolean enlist(CommitOperation operation) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()
                || !TransactionSynchronizationManager.isActualTransactionActive()) {
            requireNoReactiveTransaction(operation);
            return false;
        }
        CommitOutbox outbox = outboxes.get();
        CommitOutbox joined = outbox != null && outbox.joinsTransaction() ? outbox : null;
        if (outbox != null && joined == null && log.isDebugEnabled()) {
            log.debug("The outbox cannot join the current transaction, so a message of topic " + operation.topic()
                    + " is sent or cancelled after the commit without it");
        }
        Commit commit = current();
        Long row = joined == null ? null : write(operation, joined);
        commit.operations.add(new Enlisted(operation, row, nanoTime.getAsLong()));
        return true;
    }

    /** Reactive transactions are not bound to a thread, so nothing here can tell whether one is active. */
    private void requireNoReactiveTransaction(CommitOperation operation) {
        if (nonBlockingThread.getAsBoolean()) {
            boolean send = operation instanceof PendingMessage;
            throw new IllegalStateException(
                    (send ? "sendAfterCommit" : "cancelAfterCommit")
                            + " was called on thread " + Thread.currentThread().getName()
                            + ", which must not block, and without a transaction of this thread. It does not wait for the commit of"
                            + " a reactive transaction: call " + (send ? "sendAsync" : "cancelAsync")
                            + " when that transaction has completed, or make the call in a blocking transaction on another thread");
        }
    }

    /** Writes an operation to the outbox. Returns its row. */
    private long write(CommitOperation operation, CommitOutbox joined) {
        return operation instanceof PendingMessage message
                ? write(message, joined)
                : joined.write(((PendingCancel) operation).toOutbox(ids.next(), joined.remembered()));
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
        List<Enlisted> unstored = new ArrayList<>();
        List<Enlisted> stored = new ArrayList<>();
        for (Enlisted each : enlisted) {
            (each.row() == null ? unstored : stored).add(each);
        }
        List<Done> done = new ArrayList<>();
        CommitOutbox outbox = outboxes.get();
        if (outbox != null && !stored.isEmpty()) {
            done.addAll(performStored(stored, outbox));
        }
        long start = nanoTime.getAsLong();
        for (List<CommitOperation> part : inOrder(unstored)) {
            done.addAll(performWithRetries(part, start));
        }
        report(done);
    }

    /** Publishes the failures, and throws if there are any. */
    private void report(List<Done> done) {
        List<SendResult> sends = new ArrayList<>();
        List<DelayQueueException> failedSends = new ArrayList<>();
        List<DelayQueueException> failedCancels = new ArrayList<>();
        for (Done each : done) {
            if (each.isSend()) {
                sends.add(each.result());
            }
            if (each.result() instanceof Failed failed) {
                (each.isSend() ? failedSends : failedCancels).add(published(failed, each.isSend()));
            }
        }
        DelayQueueException thrown = null;
        if (!failedSends.isEmpty()) {
            thrown = sends.size() == 1 ? failedSends.get(0) : new BatchSendException(sends);
        }
        for (DelayQueueException failed : failedCancels) {
            if (thrown == null) {
                thrown = failed;
            } else {
                thrown.addSuppressed(failed);
            }
        }
        if (thrown != null) {
            throw thrown;
        }
    }

    /** Publishes a failure. */
    private DelayQueueException published(Failed failed, boolean isSend) {
        String topic = failed.topic();
        String id = failed.id();
        if (isSend) {
            DelayQueueException failure = DelayQueueException.of(failed);
            events.publish(listener -> listener.sendAfterCommitFailed(topic, id, failure));
            return failure;
        }
        DelayQueueException failure = PendingCancel.exceptionOf(failed);
        events.publish(listener -> listener.cancelAfterCommitFailed(topic, id, failure));
        return failure;
    }

    /**
     * Does stored operations once.
     *
     * @return those whose result is final. The outbox does the others later
     */
    private List<Done> performStored(List<Enlisted> stored, CommitOutbox outbox) {
        Set<Long> sendable = outbox.sendable(
                stored.stream().map(Enlisted::storedRow).toList(),
                stored.stream()
                        .filter(each -> !each.operation().hasNewId())
                        .map(Enlisted::storedRow)
                        .toList());
        List<Enlisted> performed = stored.stream()
                .filter(each -> sendable.contains(each.storedRow()))
                .toList();
        sender.perform(performed.stream().map(Enlisted::operation).toList(), true);
        Map<Long, SendResult> results = new HashMap<>();
        for (Enlisted each : performed) {
            results.put(each.storedRow(), each.operation().result().join());
        }
        outbox.settle(results);
        for (Enlisted each : stored) {
            SendResult result = results.get(each.storedRow());
            each.operation()
                    .release(
                            result != null
                                    ? result
                                    : each.operation()
                                            .notStored(Reason.NOT_SENT, "the outbox sends the message later", null));
        }
        return performed.stream()
                .map(each ->
                        new Done(each.operation(), each.operation().result().join()))
                .filter(done -> !SendFailures.isTransient(done.result()))
                .toList();
    }

    /**
     * Divides operations into parts that are done one after another. Of the operations of an id, a cancel shares its part
     * with no other one.
     */
    private static List<List<CommitOperation>> inOrder(List<Enlisted> operations) {
        List<List<CommitOperation>> parts = new ArrayList<>();
        List<CommitOperation> part = List.of();
        Map<List<String>, Boolean> cancelled = new HashMap<>();
        for (Enlisted each : operations) {
            CommitOperation operation = each.operation();
            List<String> id = List.of(operation.topic(), operation.id());
            boolean cancels = operation instanceof PendingCancel;
            Boolean before = cancelled.get(id);
            if (parts.isEmpty() || (before != null && (before || cancels))) {
                part = new ArrayList<>();
                parts.add(part);
                cancelled.clear();
            }
            cancelled.put(id, cancels);
            part.add(operation);
        }
        return parts;
    }

    private List<Done> performWithRetries(List<CommitOperation> operations, long start) {
        List<PendingMessage> messages = new ArrayList<>();
        List<CommitOperation> cancels = new ArrayList<>();
        for (CommitOperation operation : operations) {
            if (operation instanceof PendingMessage message) {
                messages.add(message);
            } else {
                cancels.add(operation);
            }
        }
        List<SendResult> sent = sender.sendAll(messages, passed -> {
            List<CommitOperation> open = new ArrayList<>(cancels);
            open.addAll(passed);
            performUntilTimeout(open, start);
        });
        List<Done> done = new ArrayList<>();
        for (int i = 0; i < messages.size(); i++) {
            done.add(new Done(messages.get(i), sent.get(i)));
        }
        cancels.forEach(cancel -> done.add(new Done(cancel, cancel.result().join())));
        return done;
    }

    /**
     * Does operations, and repeats those whose failure is transient.
     *
     * @param start when the operations of the transaction began, by the monotonic clock
     */
    private void performUntilTimeout(List<CommitOperation> operations, long start) {
        Duration wait = FIRST_PAUSE;
        List<CommitOperation> open = operations;
        while (true) {
            sender.perform(open, false);
            open = open.stream()
                    .filter(operation ->
                            SendFailures.isTransient(operation.result().join()))
                    .toList();
            Duration left = timeout.minusNanos(nanoTime.getAsLong() - start);
            if (open.isEmpty()
                    || left.isNegative()
                    || left.isZero()
                    || Thread.currentThread().isInterrupted()) {
                return;
            }
            open.forEach(CommitOperation::repeat);
            pause.accept(wait.compareTo(left) < 0 ? wait : left);
            wait = wait.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? wait.multipliedBy(2) : LONGEST_PAUSE;
        }
    }

    /** The operations of one transaction. Confined to its thread. */
    private final class Commit implements TransactionSynchronization {

        private final List<Enlisted> operations = new ArrayList<>();
        private final IdentityHashMap<Object, Integer> savepoints = new IdentityHashMap<>();
        private boolean started;

        CommitSender owner() {
            return CommitSender.this;
        }

        @Override
        public void savepoint(Object savepoint) {
            savepoints.put(savepoint, operations.size());
        }

        @Override
        public void savepointRollback(Object savepoint) {
            // an unknown savepoint was created before the first operation
            int kept = savepoints.getOrDefault(savepoint, 0);
            List<Enlisted> rolledBack = operations.subList(Math.min(kept, operations.size()), operations.size());
            rolledBack.forEach(Commit::notSent);
            rolledBack.clear();
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            long now = nanoTime.getAsLong();
            List<Long> early = operations.stream()
                    .filter(each -> each.row() != null && each.hasDelay() && now - each.writtenAt() > EXACT_DELAY)
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
            deliver(operations);
        }

        /**
         * Does the operations if {@link #afterCommit()} was not called. Spring does not call it if an earlier
         * synchronization failed, nor for operations that another synchronization's {@code afterCommit} adds. Spring
         * logs exceptions thrown here.
         */
        @Override
        public void afterCompletion(int status) {
            if (status == STATUS_COMMITTED && !started) {
                afterCommit();
            } else if (status != STATUS_COMMITTED) {
                operations.forEach(Commit::notSent);
            }
        }

        /** Ends the observation of a message that the interceptors have passed. */
        private static void notSent(Enlisted enlisted) {
            CommitOperation operation = enlisted.operation();
            operation.release(operation.notStored(Reason.NOT_SENT, "the transaction was not committed", null));
        }
    }
}
