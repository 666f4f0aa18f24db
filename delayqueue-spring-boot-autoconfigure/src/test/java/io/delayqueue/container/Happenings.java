package io.delayqueue.container;

import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.message.DeathCause;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Every event as a line: what, message or letter, detail. */
public final class Happenings implements DelayQueueEvents {

    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    /** All that begin so, in their order. */
    public List<String> of(String beginning) {
        return lines.stream().filter(line -> line.startsWith(beginning)).toList();
    }

    public int count(String beginning) {
        return of(beginning).size();
    }

    public void clear() {
        lines.clear();
    }

    @Override
    public void started(String topic, String listener, String id, int attempt, Duration late) {
        lines.add("started " + id + " " + attempt);
    }

    @Override
    public void acknowledged(String topic, String listener, String id, int attempt, Duration handling) {
        lines.add("acknowledged " + id + " " + attempt);
    }

    @Override
    public void retried(String topic, String listener, String id, int attempt, Duration delay) {
        lines.add("retried " + id + " " + attempt + " " + delay);
    }

    @Override
    public void released(String topic, String listener, String id) {
        lines.add("released " + id);
    }

    @Override
    public void died(String topic, String id, DeathCause cause) {
        lines.add("died " + id + " " + cause);
    }

    @Override
    public void reclaimed(String topic, String id) {
        lines.add("reclaimed " + id);
    }

    @Override
    public void gone(String topic, String id) {
        lines.add("gone " + id);
    }

    @Override
    public void sweepFound(String topic, int count) {
        lines.add("sweepFound " + count);
    }

    @Override
    public void deathNoticeDropped(String topic, String letterId, Throwable cause) {
        lines.add("deathNoticeDropped " + letterId);
    }

    @Override
    public void lettersDropped(String topic, int count) {
        lines.add("lettersDropped " + count);
    }

    @Override
    public void redisFailed(String what, Throwable cause, Duration sinceSuccess) {
        lines.add("redisFailed " + what + ": " + cause.getMessage());
    }

    @Override
    public void leaseLost(String topic, String listener, String id, Instant leaseEnd) {
        lines.add("leaseLost " + id);
    }
}
