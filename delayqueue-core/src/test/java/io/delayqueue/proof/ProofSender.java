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

/** Sends numbered messages, some of them twice, and cancels some that it has sent. Not thread-safe. */
final class ProofSender {

    /** What a sender has to bear. */
    interface Adversity {

        /**
         * Called before each batch; may wait or do harm.
         *
         * @param sent how many were sent
         * @return how much later than usual the batch comes due, so that its repeat still finds it
         */
        Duration beforeBatch(int sent);

        /** Called when nobody knows what became of some messages, before they are sent again. */
        void unknown();
    }

    private static final int BATCH = 250;
    private static final Duration FAR = Duration.ofHours(1);

    private final QueueNode node;
    private final DeliveryLog log;
    private final Random random;
    private final Adversity adversity;
    private int repeats;

    ProofSender(QueueNode node, DeliveryLog log, Random random, Adversity adversity) {
        this.node = node;
        this.log = log;
        this.random = random;
        this.adversity = adversity;
    }

    /** A message that is not due as long as a test lasts. */
    static boolean isFar(int number) {
        return number % 50 == 9;
    }

    /** How many messages were sent again, since nobody knew what became of them. */
    int repeats() {
        return repeats;
    }

    /** Sends messages that come due between now and then. */
    void send(int from, int to, Duration earliest, Duration latest) {
        for (int first = from; first < to; first += BATCH) {
            Duration later = adversity.beforeBatch(first);
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
                    .nonce(nonce);
            batch.add(ConsumerProcess.alwaysFails(i) ? message.maxAttempts(3).build() : message.build());
        }
        send(batch);
        if (random.nextInt(4) == 0) { // as if the answer had been lost
            repeats += batch.size();
            send(batch);
        }
        if (!Instant.now().isBefore(earliest)) {
            log.mayComeAnew(batch.stream().map(DelayMessage::id).toList());
        }
    }

    private void send(List<DelayMessage> batch) {
        List<DelayMessage> open = batch;
        while (!open.isEmpty()) {
            try {
                node.template.sendAll(open);
                return;
            } catch (BatchSendException e) {
                open = notStored(open, e.results());
                repeats += open.size();
                adversity.unknown();
            }
        }
    }

    private static List<DelayMessage> notStored(List<DelayMessage> messages, List<SendResult> results) {
        List<DelayMessage> open = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i) instanceof SendResult.Duplicate duplicate) {
                throw new IllegalStateException("A repeat was taken for another message: " + duplicate);
            }
            if (results.get(i) instanceof SendResult.Unknown unknown) {
                open.add(unknown.message());
            } else if (results.get(i) instanceof SendResult.Rejected) {
                open.add(messages.get(i));
            }
        }
        return open;
    }

    /** Of all that were sent: most of them wait, some are handled, many are gone. */
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
