package io.delayqueue.sample.outbox;

import io.delayqueue.message.DelayMessage;
import java.time.Instant;
import java.util.List;

/** The pending work of a feature. */
public interface Outbox {

    /**
     * Creates the messages of stored work that is still pending although it was due before a time. Each message has its
     * original id.
     *
     * @return at most a few hundred messages
     */
    List<DelayMessage> overdue(Instant before);
}
