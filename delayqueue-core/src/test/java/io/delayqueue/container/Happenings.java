package io.delayqueue.container;

import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.DeadLetterCause;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Every event as a line: what, message or dead letter, detail. */
public final class Happenings implements DelayQueueEvents {

    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    /** The events that start with a text, in their order. */
    public List<String> of(String beginning) {
        return lines.stream().filter(line -> line.startsWith(beginning)).toList();
    }

    public int count(String beginning) {
        return of(beginning).size();
    }

    public List<String> lines() {
        return List.copyOf(lines);
    }

    public void clear() {
        lines.clear();
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
    public void cancelAfterCommitFailed(String topic, String id, Throwable cause) {
        lines.add("not cancelled " + topic + " " + id + " " + cause.getClass().getSimpleName());
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
        lines.add("started " + id + " " + attempt);
    }

    @Override
    public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
        lines.add("acknowledged " + id + " " + attempt);
    }

    @Override
    public void retried(Recipient recipient, String id, int attempt, Duration handling, Duration delay) {
        lines.add("retried " + id + " " + attempt + " " + delay);
    }

    @Override
    public void postponed(Recipient recipient, String id, int attempt, Duration handling, Duration delay) {
        lines.add("postponed " + id + " " + attempt + " " + delay);
    }

    @Override
    public void released(Recipient recipient, String id) {
        lines.add("released " + id);
    }

    @Override
    public void deadLettered(Recipient recipient, String id, DeadLetterCause cause, @Nullable Duration handling) {
        lines.add("deadLettered " + id + " " + cause);
    }

    @Override
    public void reclaimed(Recipient recipient, String id) {
        lines.add("reclaimed " + id);
    }

    @Override
    public void settlementRejected(Recipient recipient, String id, @Nullable Duration handling) {
        lines.add("gone " + id);
    }

    @Override
    public void sweepFound(Recipient recipient, int count) {
        lines.add("sweepFound " + count);
    }

    @Override
    public void notificationDropped(
            Recipient recipient, String deadLetterId, Throwable cause, @Nullable Duration handling) {
        lines.add("notificationDropped " + deadLetterId);
    }

    @Override
    public void deadLettersDropped(String topic, int count) {
        lines.add("deadLettersDropped " + count);
    }

    @Override
    public void taskFailed(String task, Throwable cause, Duration failing) {
        lines.add("taskFailed " + task + ": " + cause.getMessage());
    }

    @Override
    public void leaseLost(Recipient recipient, String id, Instant leaseEnd) {
        lines.add("leaseLost " + id);
    }
}
