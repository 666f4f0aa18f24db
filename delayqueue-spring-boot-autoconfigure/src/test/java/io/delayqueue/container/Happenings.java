package io.delayqueue.container;

import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.DeathCause;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

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
    public void released(Recipient recipient, String id) {
        lines.add("released " + id);
    }

    @Override
    public void died(Recipient recipient, String id, DeathCause cause, @Nullable Duration handling) {
        lines.add("died " + id + " " + cause);
    }

    @Override
    public void reclaimed(Recipient recipient, String id) {
        lines.add("reclaimed " + id);
    }

    @Override
    public void gone(Recipient recipient, String id, @Nullable Duration handling) {
        lines.add("gone " + id);
    }

    @Override
    public void sweepFound(Recipient recipient, int count) {
        lines.add("sweepFound " + count);
    }

    @Override
    public void deathNoticeDropped(Recipient recipient, String letterId, Throwable cause, @Nullable Duration handling) {
        lines.add("deathNoticeDropped " + letterId);
    }

    @Override
    public void lettersDropped(String topic, int count) {
        lines.add("lettersDropped " + count);
    }

    @Override
    public void stepFailed(String step, Throwable cause, Duration failing) {
        lines.add("stepFailed " + step + ": " + cause.getMessage());
    }

    @Override
    public void leaseLost(Recipient recipient, String id, Instant leaseEnd) {
        lines.add("leaseLost " + id);
    }
}
