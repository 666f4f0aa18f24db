package io.delayqueue.template;

import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.message.DeathCause;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what happened, a line each. */
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
    public void duplicateRefused(String topic, String id) {
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
    public void replayed(String topic, String letterId) {
        lines.add("replayed " + topic + " " + letterId);
    }

    @Override
    public void died(String topic, String id, DeathCause cause) {
        lines.add("died " + topic + " " + id + " " + cause);
    }

    @Override
    public void gone(String topic, String id) {
        lines.add("gone " + topic + " " + id);
    }
}
