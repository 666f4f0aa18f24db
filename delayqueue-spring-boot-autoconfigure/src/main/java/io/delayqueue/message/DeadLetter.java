package io.delayqueue.message;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A message that was given up.
 *
 * @param letterId the letter's own id: it names this death, so that letters of one message never overwrite another
 * @param topic the topic
 * @param messageId the id the message had
 * @param diedAt when, by Redis' clock
 * @param cause why
 * @param attempts claims made of it; one whose process was killed may never have come to a handler
 * @param failure the last failure, where there was one
 * @param envelope what was sent
 */
public record DeadLetter(
        String letterId,
        String topic,
        String messageId,
        Instant diedAt,
        DeathCause cause,
        int attempts,
        @Nullable Failure failure,
        Envelope envelope) {}
