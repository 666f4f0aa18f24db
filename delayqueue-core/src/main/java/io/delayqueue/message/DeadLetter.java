package io.delayqueue.message;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message that was dead-lettered. Immutable, except for the payload's array.
 *
 * @param deadLetterId the id of this dead letter; each dead letter of a message has another one
 * @param topic the topic
 * @param messageId the id of the message
 * @param deadLetteredAt when the message was dead-lettered, by Redis' clock
 * @param cause why the message was dead-lettered
 * @param causeName the stored name of the cause; equal to the name of {@code cause} unless a newer version wrote it
 * @param attempts number of claims of the message; a claim whose process was killed may never have reached a handler
 * @param node the node whose listener had the last attempt; null if a client received the message, or if it is unknown
 * @param handling handling time of the last attempt, which began that long before {@code deadLetteredAt}; null if it is
 *     unknown, for example because its process was killed
 * @param failure the last failure; null if no attempt failed
 * @param failures the failed attempts that were followed by a retry, the newest first; the oldest are missing if all have more
 *     than 2,000 bytes
 * @param envelope the message as it was stored
 */
public record DeadLetter(
        String deadLetterId,
        String topic,
        String messageId,
        Instant deadLetteredAt,
        DeadLetterCause cause,
        String causeName,
        int attempts,
        @Nullable String node,
        @Nullable Duration handling,
        @Nullable Failure failure,
        List<Failure.Attempt> failures,
        Envelope envelope) {}
