package io.delayqueue.actuate.dashboard;

import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.template.DelayQueueOperations;
import java.util.Optional;

/** Waits for states of messages. */
final class QueueState {

    private final DelayQueueOperations queue;
    private final DelayQueueAdmin admin;

    QueueState(DelayQueueOperations queue, DelayQueueAdmin admin) {
        this.queue = queue;
        this.admin = admin;
    }

    void awaitAcknowledged(String topic, String id) {
        await().until(() ->
                queue.find(topic, id).isEmpty() && deadLetter(topic, id).isEmpty());
    }

    void awaitEmpty(String topic) {
        await().until(() -> {
            TopicCounts counts = admin.counts(topic);
            return counts.scheduled() + counts.ready() + counts.leased() == 0;
        });
    }

    DeadLetter awaitDead(String topic, String id) {
        return await().until(() -> deadLetter(topic, id), Optional::isPresent).orElseThrow();
    }

    void awaitFailed(String topic, String id) {
        await().until(() -> queue.find(topic, id)
                .filter(found -> found.state() != MessageState.LEASED && found.lastFailure() != null)
                .isPresent());
    }

    private Optional<DeadLetter> deadLetter(String topic, String id) {
        return admin.deadLetters(topic, DelayQueueAdmin.MAX_PAGE).deadLetters().stream()
                .filter(deadLetter -> deadLetter.messageId().equals(id))
                .findFirst();
    }
}
