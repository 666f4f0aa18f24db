package io.delayqueue.management;

import io.delayqueue.admin.DeadLetterPage;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter. Times are by Redis' clock.
 *
 * @param topic topic of the message
 * @param deadLetterId id of the dead letter
 * @param id id of the message
 * @param key key of the message; omitted if it has none
 * @param deadLetteredAt time of dead-lettering
 * @param cause why the message was dead-lettered, or an unknown cause from a newer version
 * @param attempts number of deliveries
 * @param node the node of the last attempt; omitted if a client received the message, or if unknown
 * @param startedAt when the last attempt began; omitted if unknown
 * @param handling how long the last attempt took; omitted if unknown
 * @param failure the last failure; omitted if there was none
 * @param failures the last failed attempts that were followed by a retry, the newest first
 * @param dueAt due time by the last send, reschedule or replay
 * @param sentAt time of the send
 * @param headers names and values; omitted if the caller may not see them
 * @param payload stored payload
 */
public record DeadLetterDetails(
        String topic,
        String deadLetterId,
        String id,
        @Nullable String key,
        Instant deadLetteredAt,
        String cause,
        int attempts,
        @Nullable String node,
        @Nullable Instant startedAt,
        @Nullable Duration handling,
        @Nullable Failure failure,
        List<Failure.Attempt> failures,
        Instant dueAt,
        Instant sentAt,
        @Nullable Map<String, String> headers,
        Payload payload) {

    /** Creates what a caller sees of a dead letter. */
    public static DeadLetterDetails of(DeadLetter deadLetter, Shown shown) {
        Envelope envelope = deadLetter.envelope();
        Duration handling = deadLetter.handling();
        return new DeadLetterDetails(
                deadLetter.topic(),
                deadLetter.deadLetterId(),
                deadLetter.messageId(),
                envelope.key(),
                deadLetter.deadLetteredAt(),
                deadLetter.causeName().toLowerCase(Locale.ROOT),
                deadLetter.attempts(),
                deadLetter.node(),
                handling == null ? null : deadLetter.deadLetteredAt().minus(handling),
                handling,
                deadLetter.failure(),
                deadLetter.failures(),
                envelope.dueAt(),
                envelope.sentAt(),
                shown == Shown.SIZE ? null : envelope.headers(),
                Payload.of(envelope.payload(), shown));
    }

    /**
     * A page of dead letters, newest first.
     *
     * @param deadLetters may have fewer elements than requested if they are large
     * @param next value of the parameter page for the next page; omitted on the last page
     */
    public record Page(
            List<DeadLetterDetails> deadLetters, @Nullable String next) {

        /** Creates what a caller sees of a page. */
        public static Page of(DeadLetterPage page, Shown shown) {
            return new Page(
                    page.deadLetters().stream()
                            .map(deadLetter -> DeadLetterDetails.of(deadLetter, shown))
                            .toList(),
                    page.next());
        }
    }
}
