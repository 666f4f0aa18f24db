package io.delayqueue.metrics;

import io.delayqueue.message.SendResult;
import io.delayqueue.template.CommitOutbox;
import io.delayqueue.template.OutboxMessage;
import io.delayqueue.template.OutboxState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** An outbox that joins no transaction and contains messages. The real one is in delayqueue-jdbc, which tests its meters too. */
final class FilledOutbox implements CommitOutbox {

    @Override
    public boolean joinsTransaction() {
        return false;
    }

    @Override
    public Duration remembered() {
        return Duration.ofHours(1);
    }

    @Override
    public long write(OutboxMessage message) {
        throw new IllegalStateException("joins no transaction");
    }

    @Override
    public void restartDelays(List<Long> rows) {}

    @Override
    public Set<Long> sendable(List<Long> rows, List<Long> withGivenIds) {
        return Set.of();
    }

    @Override
    public void settle(Map<Long, SendResult> results) {}

    @Override
    public OutboxState state() {
        return new OutboxState.Content(3, Duration.ofSeconds(90), 2);
    }
}
