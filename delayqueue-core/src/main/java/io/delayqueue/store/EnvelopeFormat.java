package io.delayqueue.store;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.Due;
import io.delayqueue.message.Envelope;
import io.delayqueue.message.MessageLimits;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The format of a stored message: times in binary, everything else as text that scripts and people can read.
 *
 * <pre>
 * 1SSSSSSDDDDDDk2j4h1      format; sent and due, six bytes each; nonce
 * tags: vip                headers; %, CR and LF escaped as %XX, in names the colon too
 *
 * {"order":42}             payload
 * </pre>
 *
 * <p>A time is an unsigned number of milliseconds since 1970, most significant byte first. Any of its bytes may be a
 * line feed, so that readers search for line feeds from the fourteenth byte on. The first line ends after the times if
 * the message's id was generated for its send. If the message has limits, a {@code +}, the nonce and the limits follow:
 * {@code r=} slot, see {@code recurring.lua}, {@code a=} attempts, {@code l=} lease in ms, {@code x=} time from the due time to the expiry in ms, {@code e=} expiry
 * as ms since 1970, in a topic with keys {@code s=} sequence number and {@code k=} key, see {@code order.lua}, and last, of a
 * debounced message, {@code d=} longest time, see {@code coalesce.lua}. In a key, {@code %}, white space and control
 * characters are escaped as %XX. A change of this format also changes {@code head.lua} and the scripts that include it.
 */
public final class EnvelopeFormat {

    /** The latest due time that the format can hold, ms since 1970. It is in the year 10889. */
    public static final long LATEST = (1L << 48) - 1;

    private static final int SENT = 1;
    private static final int DUE = 7;
    /** Index of the first byte after the times. */
    private static final int REST = 13;

    /** What follows the nonce beside limits. */
    private static final Set<String> OTHERS = Set.of("r=", "s=", "k=", "d=");

    private static final byte[] NOTHING_MORE = {'\n', '\n'};

    private EnvelopeFormat() {}

    /** The due time as stored: at most {@link #LATEST}, or half of it for a delay, because Redis adds its clock. */
    public static long millis(Due due) {
        return Math.min(due.millis(), due.relative() ? LATEST / 2 : LATEST);
    }

    /** The bytes that the send script appends to the time of the send, or, for a delay, to the due time. */
    static byte[] rest(
            Due due,
            String nonce,
            MessageLimits limits,
            @Nullable String key,
            Map<String, String> headers,
            byte[] payload) {
        int from = due.relative() ? 0 : REST - DUE;
        byte[] lines = lines(due, nonce, limits, key, headers);
        byte[] rest = new byte[from + lines.length + payload.length];
        long millis = millis(due);
        for (int i = from - 1; i >= 0; i--) {
            rest[i] = (byte) millis;
            millis >>= 8;
        }
        System.arraycopy(lines, 0, rest, from, lines.length);
        System.arraycopy(payload, 0, rest, from + lines.length, payload.length);
        return rest;
    }

    /** Completes the bytes of {@link #rest} to a stored message. */
    static byte[] withoutTimes(Due due, byte[] rest) {
        int from = due.relative() ? REST : DUE;
        byte[] stored = new byte[from + rest.length];
        stored[0] = '1';
        System.arraycopy(rest, 0, stored, from, rest.length);
        return stored;
    }

    /** The bytes after the times, up to and including the empty line. */
    private static byte[] lines(
            Due due, String nonce, MessageLimits limits, @Nullable String key, Map<String, String> headers) {
        boolean generated = nonce.equals(OutgoingMessage.GENERATED_ID);
        boolean plain = limits.isEmpty() && key == null && !due.isDebounced();
        if (generated && plain && headers.isEmpty()) {
            return NOTHING_MORE;
        }
        StringBuilder lines = new StringBuilder();
        if (!plain) {
            lines.append('+').append(nonce);
            append(lines, " a=", limits.maxAttempts());
            append(lines, " l=", millis(limits.lease()));
            append(lines, " x=", millis(limits.expireAfter()));
            Instant expireAt = limits.expireAt();
            append(lines, " e=", expireAt == null ? null : Math.max(0, expireAt.toEpochMilli()));
            if (key != null) {
                lines.append(" k=").append(escapeKey(key));
            }
            append(lines, " d=", due.isDebounced() ? Math.min(due.longest(), LATEST / 2) : null);
        } else if (!generated) {
            lines.append(nonce);
        }
        lines.append('\n');
        headers.forEach((name, value) -> lines.append(escape(name, true))
                .append(": ")
                .append(escape(value, false))
                .append('\n'));
        return lines.append('\n').toString().getBytes(UTF_8);
    }

    private static void append(StringBuilder line, String key, @Nullable Number value) {
        if (value != null) {
            line.append(key).append(value);
        }
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }

    private static String escape(String text, boolean name) {
        String escaped = text.replace("%", "%25").replace("\n", "%0A").replace("\r", "%0D");
        return name ? escaped.replace(":", "%3A") : escaped;
    }

    /** The key as scripts see it: without white space and control characters. */
    private static String escapeKey(String key) {
        StringBuilder escaped = new StringBuilder(key.length());
        key.codePoints().forEach(point -> {
            if (point == '%'
                    || Character.isWhitespace(point)
                    || Character.isSpaceChar(point)
                    || Character.isISOControl(point)) {
                for (byte b : Character.toString(point).getBytes(UTF_8)) {
                    escaped.append('%').append(String.format("%02X", b & 0xff));
                }
            } else {
                escaped.appendCodePoint(point);
            }
        });
        return escaped.toString();
    }

    /**
     * Reads a key as scripts see it.
     *
     * @throws IllegalArgumentException if an escape is malformed
     */
    public static String unescapeKey(String escaped) {
        if (escaped.indexOf('%') < 0) {
            return escaped;
        }
        byte[] bytes = escaped.getBytes(UTF_8);
        ByteArrayOutputStream key = new ByteArrayOutputStream(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '%') {
                key.write(HexFormat.fromHexDigits(new String(bytes, i + 1, 2, US_ASCII)));
                i += 2;
            } else {
                key.write(bytes[i]);
            }
        }
        return key.toString(UTF_8);
    }

    private static String unescape(String text) {
        return text.indexOf('%') < 0
                ? text
                : text.replace("%3A", ":")
                        .replace("%0D", "\r")
                        .replace("%0A", "\n")
                        .replace("%25", "%");
    }

    /** Whether a stored message has limits of its own. */
    static boolean hasOwnLimits(byte[] stored) {
        return stored.length > REST && stored[REST] == '+';
    }

    /**
     * Reads a stored message.
     *
     * @throws UnreadableMessageException if it has another format; the exception's message quotes nothing of the stored
     *     message, because it is also shown to users without permission to read payloads
     */
    public static Envelope read(byte[] stored) {
        if (stored.length <= REST || stored[0] != '1') {
            throw new UnreadableMessageException("The stored message is not of format 1");
        }
        int lineEnd = indexOf(stored, REST);
        if (lineEnd < 0) {
            throw new UnreadableMessageException("The stored message has a first line without an end");
        }
        try {
            String[] limited =
                    hasOwnLimits(stored) ? new String(stored, REST + 1, lineEnd - REST - 1, UTF_8).split(" ") : null;
            boolean bare = stored[lineEnd + 1] == '\n';
            Map<String, String> headers = bare ? Map.of() : new LinkedHashMap<>();
            int payload = bare ? lineEnd + 2 : headers(stored, lineEnd + 1, headers);
            return new Envelope(
                    Instant.ofEpochMilli(time(stored, SENT)),
                    Instant.ofEpochMilli(time(stored, DUE)),
                    limited == null ? nonce(stored, lineEnd) : limited[0],
                    limited == null ? MessageLimits.NONE : limits(limited),
                    limited == null ? null : key(limited),
                    limited == null ? null : slot(limited),
                    bare ? headers : Collections.unmodifiableMap(headers),
                    Arrays.copyOfRange(stored, payload, stored.length));
        } catch (RuntimeException e) {
            throw e instanceof UnreadableMessageException
                    ? e
                    : new UnreadableMessageException("The stored message has an unreadable head");
        }
    }

    /** The envelope of an unreadable message: its payload is the whole stored message. */
    public static Envelope ofUnreadable(byte[] stored) {
        return new Envelope(
                Instant.EPOCH,
                Instant.EPOCH,
                OutgoingMessage.GENERATED_ID,
                MessageLimits.NONE,
                null,
                null,
                Map.of(),
                stored);
    }

    /** The due time of a stored message, ms since 1970; another one if it has no head, because a foreign client wrote it. */
    public static long dueMillis(byte[] stored, long withoutHead) {
        return stored.length > REST && stored[0] == '1' ? time(stored, DUE) : withoutHead;
    }

    private static long time(byte[] stored, int from) {
        long millis = 0;
        for (int i = from; i < from + 6; i++) {
            millis = millis << 8 | (stored[i] & 0xff);
        }
        return millis;
    }

    private static String nonce(byte[] stored, int lineEnd) {
        return lineEnd == REST ? OutgoingMessage.GENERATED_ID : text(stored, REST, lineEnd);
    }

    private static String text(byte[] stored, int from, int end) {
        return new String(stored, from, end - from, US_ASCII);
    }

    /** Reads the limits, which follow the nonce. */
    private static MessageLimits limits(String[] line) {
        Map<String, Long> values = new HashMap<>();
        for (int i = 1; i < line.length; i++) {
            if (OTHERS.contains(line[i].substring(0, 2))) {
                continue;
            }
            values.put(line[i].substring(0, 2), Long.parseLong(line[i], 2, line[i].length(), 10));
        }
        Long attempts = values.get("a=");
        Long lease = values.get("l=");
        Long late = values.get("x=");
        Long date = values.get("e=");
        return new MessageLimits(
                attempts == null ? null : Math.toIntExact(attempts),
                lease == null ? null : Duration.ofMillis(lease),
                late == null ? null : Duration.ofMillis(late),
                date == null ? null : Instant.ofEpochMilli(date));
    }

    private static @Nullable Instant slot(String[] line) {
        return line.length > 1 && line[1].startsWith("r=")
                ? Instant.ofEpochMilli(Long.parseLong(line[1].substring(2)))
                : null;
    }

    private static @Nullable String key(String[] line) {
        for (String part : line) {
            if (part.startsWith("k=")) {
                // in a fair topic, a message without a key has an empty one
                return part.length() == 2 ? null : unescapeKey(part.substring(2));
            }
        }
        return null;
    }

    private static int headers(byte[] stored, int from, Map<String, String> headers) {
        int at = from;
        while (true) {
            int end = indexOf(stored, at);
            if (end < 0) {
                throw new UnreadableMessageException("The stored message has headers without an end");
            }
            if (end == at) {
                return end + 1;
            }
            String line = new String(stored, at, end - at, UTF_8);
            int colon = line.indexOf(": ");
            if (colon < 0) {
                throw new UnreadableMessageException("The stored message has a header without a colon");
            }
            headers.put(unescape(line.substring(0, colon)), unescape(line.substring(colon + 2)));
            at = end + 1;
        }
    }

    private static int indexOf(byte[] bytes, int from) {
        for (int i = from; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                return i;
            }
        }
        return -1;
    }
}
