package io.delayqueue.store.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.Failure;
import io.delayqueue.store.EnvelopeFormat;
import io.delayqueue.store.UnreadableMessageException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** How a dead letter is stored; written by {@code letter.lua}. */
final class LetterFormat {

    private LetterFormat() {}

    /**
     * Never throws: what nobody can read still is a letter, and must not keep others from being read.
     *
     * @param died when it died, where its record doesn't tell: by this it stands among others
     */
    static DeadLetter read(String topic, String letterId, Instant died, byte[] record) {
        try {
            return readable(topic, letterId, record);
        } catch (UnreadableMessageException e) {
            return unreadable(topic, letterId, died, record, String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException | IndexOutOfBoundsException | DateTimeException e) {
            // whose sentence quotes what is stored
            return unreadable(topic, letterId, died, record, "The head of dead letter " + letterId + " cannot be read");
        }
    }

    private static DeadLetter unreadable(String topic, String letterId, Instant died, byte[] record, String reason) {
        return new DeadLetter(
                letterId,
                topic,
                messageId(letterId),
                died,
                DeathCause.UNREADABLE,
                0,
                new Failure(UnreadableMessageException.class.getName(), reason),
                EnvelopeFormat.asItIs(record));
    }

    private static DeadLetter readable(String topic, String letterId, byte[] record) {
        int headEnd = indexOfLineEnd(record);
        String[] head = new String(record, 0, headEnd, UTF_8).split(" ", -1);
        if (head.length != 6 || !head[0].equals("1")) {
            throw new UnreadableMessageException("The dead letter " + letterId + " is not of format 1");
        }
        int failureLength = Integer.parseInt(head[5]);
        String failure = new String(record, headEnd + 1, failureLength, UTF_8);
        return new DeadLetter(
                letterId,
                topic,
                messageId(letterId),
                Instant.ofEpochMilli(Long.parseLong(head[1])),
                DeathCause.valueOf(head[2]),
                Integer.parseInt(head[3]),
                failure(failure),
                envelope(Arrays.copyOfRange(record, headEnd + failureLength + 2, record.length)));
    }

    private static String messageId(String letterId) {
        int end = letterId.lastIndexOf('@');
        return end < 0 ? letterId : letterId.substring(0, end);
    }

    private static Envelope envelope(byte[] stored) {
        try {
            return EnvelopeFormat.read(stored);
        } catch (UnreadableMessageException e) {
            return EnvelopeFormat.asItIs(stored);
        }
    }

    /** A failure in one text: {@code type: message}, then the stack, if any, from the next line on. */
    static String write(Failure failure) {
        String line =
                failure.type().replace('\n', ' ') + ": " + failure.message().replace('\n', ' ');
        return failure.stack() == null ? line : line + '\n' + failure.stack();
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
