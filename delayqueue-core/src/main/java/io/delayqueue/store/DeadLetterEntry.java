package io.delayqueue.store;

import io.delayqueue.message.DeadLetterKind;
import java.time.Instant;

/**
 * A dead letter without its message.
 *
 * @param deadLetterId the id of the dead letter
 * @param deadLetteredAt when the message was dead-lettered, by Redis' clock
 * @param kind the kind
 */
public record DeadLetterEntry(String deadLetterId, Instant deadLetteredAt, DeadLetterKind kind) {}
