package io.delayqueue.store.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Printable;
import io.delayqueue.store.EnvelopeFormat;
import io.delayqueue.store.UnreadableMessageException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The format of a stored dead letter, which {@code deadletter.lua} writes. */
final class DeadLetterFormat {

    /** The form of causes in all versions. Other text may be of any kind and needs permission to read payloads. */
    private static final Pattern CAUSE = Pattern.compile("[A-Z_]{1,64}");

    private DeadLetterFormat() {}

    /**
     * Reads a dead letter. Never throws: an unreadable record is a dead letter, too, and must not prevent others from
     * being read.
     *
     * @param deadLetteredAt time of dead-lettering if the record is unreadable: the score in the sorted set of dead
     *     letters
     */
    static DeadLetter read(String topic, String deadLetterId, Instant deadLetteredAt, byte[] record) {
        try {
            return readable(topic, deadLetterId, record);
        } catch (UnreadableMessageException e) {
            return unreadable(topic, deadLetterId, deadLetteredAt, record, String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException | IndexOutOfBoundsException | DateTimeException e) {
            // the exception's message quotes the record, so that it is not shown
            return unreadable(
                    topic,
                    deadLetterId,
                    deadLetteredAt,
                    record,
                    "The head of dead letter " + Printable.of(deadLetterId) + " cannot be read");
        }
    }

    private static DeadLetter unreadable(
            String topic, String deadLetterId, Instant deadLetteredAt, byte[] record, String reason) {
        return new DeadLetter(
                deadLetterId,
                topic,
                messageId(deadLetterId),
                deadLetteredAt,
                DeadLetterCause.UNREADABLE,
                DeadLetterCause.UNREADABLE.name(),
                0,
                node(deadLetterId),
                null,
                new Failure(UnreadableMessageException.class.getName(), reason),
                List.of(),
                EnvelopeFormat.ofUnreadable(record));
    }

    private static DeadLetter readable(String topic, String deadLetterId, byte[] record) {
        int headEnd = indexOfLineEnd(record);
        String[] head = new String(record, 0, headEnd, UTF_8).split(" ", -1);
        if (head.length < 6 || head.length > 7 || !head[0].equals("1")) {
            throw new UnreadableMessageException(
                    "The dead letter " + Printable.of(deadLetterId) + " is not of format 1");
        }
        if (!CAUSE.matcher(head[2]).matches()) {
            throw new IllegalArgumentException("not the name of a cause");
        }
        int failureLength = Integer.parseInt(head[head.length - 1]);
        String failure = new String(record, headEnd + 1, failureLength, UTF_8);
        int end = failure.indexOf(0);
        return new DeadLetter(
                deadLetterId,
                topic,
                messageId(deadLetterId),
                Instant.ofEpochMilli(Long.parseLong(head[1])),
                DeadLetterCause.of(head[2]),
                head[2],
                Integer.parseInt(head[3]),
                node(deadLetterId),
                head.length == 6 ? null : Duration.ofMillis(Long.parseLong(head[5])),
                failure(end < 0 ? failure : failure.substring(0, end)),
                end < 0 ? List.of() : FailedAttempts.read(failure.substring(end + 1)),
                envelope(Arrays.copyOfRange(record, headEnd + failureLength + 2, record.length)));
    }

    private static String messageId(String deadLetterId) {
        int end = deadLetterId.lastIndexOf('@');
        return end < 0 ? deadLetterId : deadLetterId.substring(0, end);
    }

    /** A dead letter's id ends with the token of its last attempt, which begins with the name of the node and a dot. */
    private static @Nullable String node(String deadLetterId) {
        String token = deadLetterId.substring(deadLetterId.lastIndexOf('@') + 1);
        int end = token.indexOf('.');
        return end < 1 ? null : token.substring(0, end);
    }

    private static Envelope envelope(byte[] stored) {
        try {
            return EnvelopeFormat.read(stored);
        } catch (UnreadableMessageException e) {
            return EnvelopeFormat.ofUnreadable(stored);
        }
    }

    /** Encodes a failure as {@code type: message}, followed by the stack trace, if any, from the next line on. */
    static String write(Failure failure) {
        String line =
                failure.type().replace('\n', ' ') + ": " + failure.message().replace('\n', ' ');
        String text = failure.stack() == null ? line : line + '\n' + failure.stack();
        return text.replace('\0', ' '); // ends the failure
    }

    private static @Nullable Failure failure(String text) {
        if (text.isEmpty()) {
            return null;
        }
        int lineEnd = text.indexOf('\n');
        String line = lineEnd < 0 ? text : text.substring(0, lineEnd);
        String stack = lineEnd < 0 ? null : text.substring(lineEnd + 1);
        int colon = line.indexOf(": ");
        return colon < 0
                ? new Failure(line, "", stack)
                : new Failure(line.substring(0, colon), line.substring(colon + 2), stack);
    }

    private static int indexOfLineEnd(byte[] bytes) {
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                return i;
            }
        }
        throw new UnreadableMessageException("The dead letter has no head");
    }
}
