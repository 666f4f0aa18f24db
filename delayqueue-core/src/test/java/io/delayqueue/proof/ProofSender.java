package io.delayqueue.proof;

import io.delayqueue.container.QueueNode;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult;
import io.delayqueue.template.BatchSendException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Sends numbered messages, repeats some sends, and cancels some messages. Not thread-safe. */
final class ProofSender {

    /** Callbacks of a sender. Implementations may inject faults. */
    interface SenderCallbacks {

        /**
         * Called before each batch. May wait or inject a fault.
         *
         * @param sent number of messages sent so far
         * @return extra delay of the batch, so that a repeated send still finds its messages stored
         */
        Duration beforeBatch(int sent);

        /** Called before sends with an unknown outcome are repeated. */
        void outcomeUnknown();
    }

    private static final int BATCH = 250;
    private static final Duration FAR = Duration.ofHours(1);

    private final QueueNode node;
    private final DeliveryLog log;
    private final Random random;
    private final SenderCallbacks callbacks;
    private int repeats;

    ProofSender(QueueNode node, DeliveryLog log, Random random, SenderCallbacks callbacks) {
        this.node = node;
        this.log = log;
        this.random = random;
        this.callbacks = callbacks;
    }

    /** Whether a message becomes due only after the test. */
    static boolean isFar(int number) {
        return number % 50 == 9;
    }

    /** Number of messages whose send was repeated. */
    int repeats() {
        return repeats;
    }

    /** Sends messages {@code from} to {@code to - 1} with delays between {@code earliest} and {@code latest}. */
    void send(int from, int to, Duration earliest, Duration latest) {
        for (int first = from; first < to; first += BATCH) {
            Duration later = callbacks.beforeBatch(first);
            batch(
                    first,
                    Math.min(first + BATCH, to),
                    Instant.now().plus(earliest).plus(later),
                    latest.minus(earliest));
            cancelSome(first, Math.min(first + BATCH, to));
        }
    }

    private void batch(int from, int to, Instant earliest, Duration spread) {
        List<DelayMessage> batch = new ArrayList<>();
        String nonce = Integer.toString(random.nextInt(1 << 30), Character.MAX_RADIX);
        for (int i = from; i < to; i++) {
            Instant due = isFar(i) ? earliest.plus(FAR) : earliest.plusMillis(random.nextLong(spread.toMillis() + 1));
            log.sent("m" + i, due.toEpochMilli());
            DelayMessage.Builder message = DelayMessage.to(ConsumerProcess.TOPIC)
                    .id("m" + i)
                    .payload("")
                    .dueAt(due)
                    .repeatOf(nonce);
            batch.add(ConsumerProcess.alwaysFails(i) ? message.maxAttempts(3).build() : message.build());
        }
        send(batch);
        if (random.nextInt(4) == 0) { // simulates a lost reply
            repeats += batch.size();
            send(batch);
        }
        if (!Instant.now().isBefore(earliest)) {
            log.possiblyAcceptedTwice(batch.stream().map(DelayMessage::id).toList());
        }
    }

    private void send(List<DelayMessage> batch) {
        List<DelayMessage> pending = batch;
        while (!pending.isEmpty()) {
            try {
                node.template.sendAll(pending);
                return;
            } catch (BatchSendException e) {
                pending = notStored(pending, e.results());
                repeats += pending.size();
                callbacks.outcomeUnknown();
            }
        }
    }

    private static List<DelayMessage> notStored(List<DelayMessage> messages, List<SendResult> results) {
        List<DelayMessage> pending = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i) instanceof SendResult.Duplicate duplicate) {
                throw new IllegalStateException("A repeated send was rejected as a duplicate: " + duplicate);
            }
            if (results.get(i) instanceof SendResult.Unknown unknown) {
                pending.add(unknown.message());
            } else if (results.get(i) instanceof SendResult.Rejected) {
                pending.add(messages.get(i));
            }
        }
        return pending;
    }

    /** Cancels random messages: some of the new batch, some of all that were sent. */
    private void cancelSome(int first, int sent) {
        for (int i = 0; i < BATCH / 50; i++) {
            cancel("m" + random.nextInt(sent));
            cancel("m" + random.nextInt(first, sent));
        }
    }

    private void cancel(String id) {
        if (!log.isCancelled(id)) {
            log.cancelled(id, node.template.cancel(ConsumerProcess.TOPIC, id));
        }
    }
}
