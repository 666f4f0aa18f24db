package io.delayqueue.message;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A live message as {@code find} saw it.
 *
 * @param topic the topic
 * @param id the id
 * @param state where it stands
 * @param dueAt when it is next due; for a leased one, the due time it was claimed at
 * @param attempts claims made of it so far, the running one included
 * @param holder the consumer that holds it, while leased
 * @param leaseEnd when its lease ends unless renewed, while leased
 * @param lastFailure the last attempt's failure in short
 * @param envelope what was sent
 */
public record MessageSnapshot(
        String topic,
        String id,
        MessageState state,
        Instant dueAt,
        int attempts,
        @Nullable String holder,
        @Nullable Instant leaseEnd,
        @Nullable String lastFailure,
        Envelope envelope) {}
