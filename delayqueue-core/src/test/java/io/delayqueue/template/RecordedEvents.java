package io.delayqueue.template;

import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.DeadLetterCause;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Records each event as a line. */
public final class RecordedEvents implements DelayQueueEvents {

    private final List<String> lines = new CopyOnWriteArrayList<>();

    public List<String> lines() {
        return lines;
    }

    @Override
    public void sent(String topic, int count) {
        lines.add("sent " + topic + " " + count);
    }

    @Override
    public void duplicateRejected(String topic, String id) {
        lines.add("duplicate " + topic + " " + id);
    }

    @Override
    public void sendAfterCommitFailed(String topic, String id, Throwable cause) {
        lines.add("failed " + topic + " " + id + " " + cause.getClass().getSimpleName());
    }

    @Override
    public void cancelled(String topic, String id) {
        lines.add("cancelled " + topic + " " + id);
    }

    @Override
    public void replayed(String topic, String deadLetterId) {
        lines.add("replayed " + topic + " " + deadLetterId);
    }

    @Override
    public void started(Recipient recipient, String id, int attempt, Duration late) {
        lines.add("started " + recipient.topic() + " " + id + " " + attempt);
    }

    @Override
    public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
        lines.add("acknowledged " + recipient.topic() + " " + id + " " + attempt);
    }

    @Override
    public void retried(Recipient recipient, String id, int attempt, Duration handling, Duration delay) {
        lines.add("retried " + recipient.topic() + " " + id + " " + attempt + " " + delay);
    }

    @Override
    public void postponed(Recipient recipient, String id, int attempt, Duration handling, Duration delay) {
        lines.add("postponed " + recipient.topic() + " " + id + " " + attempt + " " + delay);
    }

    @Override
    public void released(Recipient recipient, String id) {
        lines.add("released " + recipient.topic() + " " + id);
    }

    @Override
    public void deadLettered(Recipient recipient, String id, DeadLetterCause cause, @Nullable Duration handling) {
        lines.add("deadLettered " + recipient.topic() + " " + id + " " + cause);
    }

    @Override
    public void settlementRejected(Recipient recipient, String id, @Nullable Duration handling) {
        lines.add("gone " + recipient.topic() + " " + id);
    }
}
