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

    private final BatchSender batches;
    private final BatchSender storedBatches;
    private final List<SendInterceptor> interceptors;
    private final SendLimits limits;
    private final MessageIds ids;
    private final EventBus events;
    private final Duration timeout;
    private final LongSupplier nanoTime;
    private final Consumer<Duration> pause;
    private final Supplier<@Nullable CommitOutbox> outboxes;

    /**
     * Creates the sender.
     *
     * @param batches sends messages that no outbox stores
     * @param storedBatches sends messages that have passed the interceptors and are stored in the outbox
     * @param ids generates the nonces of stored messages
     */
    CommitSender(DelayQueueTemplateBuilder builder, BatchSender batches, BatchSender storedBatches, MessageIds ids) {
        this.batches = batches;
        this.storedBatches = storedBatches;
        this.ids = ids;
        this.interceptors = builder.interceptors;
        this.limits = builder.limits;
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
     */
    private record Enlisted(
            PendingMessage message, @Nullable Row row) {}

    /**
     * A row of the outbox.
     *
     * @param writtenAt when it was written, by the monotonic clock
     * @param reply what the interceptors get as the result of the send
     */
    private record Row(PendingMessage message, long number, long writtenAt, CompletableFuture<SendResult> reply) {}

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
        commit.messages.add(new Enlisted(message, joined == null ? null : write(message, joined)));
        return true;
    }

    private Row write(PendingMessage message, CommitOutbox joined) {
        CompletableFuture<SendResult> reply = new CompletableFuture<>();
        boolean[] passed = {false};
        CompletableFuture<SendResult> intercepted = message.pass(interceptors, limits, last -> {
            passed[0] = true;
            return reply;
        });
        if (!passed[0]) {
            throw DelayQueueException.of(
                    intercepted.getNow(message.notStored(Reason.FAILED, BatchSender.PROCEEDED_LATE, null))
                                    instanceof Failed failed
                            ? failed
                            : message.notStored(Reason.FAILED, "an interceptor returned a result of its own", null));
        }
        try {
            long number = joined.write(message.toOutbox(ids.next(), joined.remembered()));
            return new Row(message, number, nanoTime.getAsLong(), reply);
        } catch (RuntimeException e) {
            reply.complete(message.notStored(Reason.FAILED, "the outbox failed: " + e.getMessage(), e));
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
        List<Row> stored = new ArrayList<>();
        for (Enlisted each : enlisted) {
            Row row = each.row();
            if (row == null) {
                unstored.add(each.message());
            } else {
                stored.add(row);
            }
        }
        List<SendResult> results = new ArrayList<>();
        CommitOutbox outbox = outboxes.get();
        if (outbox != null && !stored.isEmpty()) {
            results.addAll(sendStored(stored, outbox));
        }
        if (!unstored.isEmpty()) {
            results.addAll(batches.send(unstored, this::storeWithRetries));
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
    private List<SendResult> sendStored(List<Row> rows, CommitOutbox outbox) {
        Set<Long> sendable = outbox.sendable(
                rows.stream().map(Row::number).toList(),
                rows.stream()
                        .filter(row -> !row.message().hasNewId())
                        .map(Row::number)
                        .toList());
        List<Row> sent =
                rows.stream().filter(row -> sendable.contains(row.number())).toList();
        storedBatches.store(sent.stream().map(Row::message).toList());
        Map<Long, SendResult> results = new HashMap<>();
        sent.forEach(row -> results.put(row.number(), row.message().result().join()));
        outbox.settle(results);
        for (Row row : rows) {
            SendResult result = results.get(row.number());
            row.reply()
                    .complete(
                            result != null
                                    ? result
                                    : row.message()
                                            .notStored(Reason.NOT_SENT, "the outbox sends the message later", null));
        }
        return sent.stream()
                .map(row -> row.message().result().join())
                .filter(result -> !SendFailures.isTransient(result))
                .toList();
    }

    /**
     * Sends messages of the outbox, once. Their ids differ. The caller publishes failures, when it has recorded them.
     *
     * @return the results in the order of the messages
     */
    List<SendResult> relay(List<OutboxMessage> messages) {
        List<PendingMessage> pending = new ArrayList<>(messages.size());
        for (OutboxMessage message : messages) {
            pending.add(PendingMessage.of(message, limits));
        }
        storedBatches.store(
                pending.stream().filter(message -> message.failed() == null).toList());
        List<SendResult> results = new ArrayList<>(messages.size());
        for (PendingMessage message : pending) {
            Failed failed = message.failed();
            results.add(failed == null ? message.result().join() : failed);
        }
        return results;
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
                    .filter(each -> each.message().due().relative())
                    .map(Enlisted::row)
                    .filter(row -> row != null && now - row.writtenAt() > EXACT_DELAY)
                    .map(row -> Objects.requireNonNull(row).number())
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
            Row row = enlisted.row();
            if (row != null) {
                row.reply()
                        .complete(enlisted.message()
                                .notStored(Reason.NOT_SENT, "the transaction was not committed", null));
            }
        }
    }
}
