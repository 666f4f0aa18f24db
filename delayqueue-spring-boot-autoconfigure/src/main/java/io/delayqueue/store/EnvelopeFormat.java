package io.delayqueue.store;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.Envelope;
import io.delayqueue.message.MessageLimits;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a message is stored, so that a script reads its head and a human the whole.
 *
 * <pre>
 * 1 k2j4h1 1700000000000 1700001800000        format, nonce, sent, due
 * tags: vip                                   headers; %, CR and LF escaped as %XX, in names the colon too
 *
 * {"order":42}                                payload
 * </pre>
 *
 * <p>With limits the head begins with {@code 1+} instead of {@code 1} and a space, and has {@code a=} attempts, {@code l=}
 * lease in ms, {@code x=} lateness that is tolerated in ms, {@code e=} expiry date in ms after the nonce. To change
 * this, change {@code send.lua}, {@code reschedule.lua}, {@code replay.lua}, {@code claim.lua} and {@code reclaim.lua}
 * too.
 */
public final class EnvelopeFormat {

    private static final byte[] PLAIN = ("1 " + OutgoingMessage.GENERATED_ID).getBytes(US_ASCII);

    private EnvelopeFormat() {}

    /** What the send script is given before sent and due. */
    static byte[] head(String nonce, MessageLimits limits) {
        if (limits.isEmpty() && nonce.equals(OutgoingMessage.GENERATED_ID)) {
            return PLAIN;
        }
        StringBuilder head = new StringBuilder(limits.isEmpty() ? "1 " : "1+").append(nonce);
        if (!limits.isEmpty()) {
            append(head, " a=", limits.maxAttempts());
            append(head, " l=", millis(limits.lease()));
            append(head, " x=", millis(limits.expireAfter()));
            Instant expireAt = limits.expireAt();
            append(head, " e=", expireAt == null ? null : Math.max(0, expireAt.toEpochMilli()));
        }
        return head.toString().getBytes(US_ASCII);
    }

    private static void append(StringBuilder head, String key, @Nullable Number value) {
        if (value != null) {
            head.append(key).append(value);
        }
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }

    /** What the send script puts behind the due time: from the end of the head's line on. */
    static byte[] body(Map<String, String> headers, byte[] payload) {
        if (headers.isEmpty()) {
            byte[] body = new byte[payload.length + 2];
            body[0] = '\n';
            body[1] = '\n';
            System.arraycopy(payload, 0, body, 2, payload.length);
            return body;
        }
        StringBuilder lines = new StringBuilder("\n");
        headers.forEach((name, value) -> lines.append(escape(name, true))
                .append(": ")
                .append(escape(value, false))
                .append('\n'));
        ByteArrayOutputStream body = new ByteArrayOutputStream(payload.length + lines.length() + 16);
        body.writeBytes(lines.append('\n').toString().getBytes(UTF_8));
        body.writeBytes(payload);
        return body.toByteArray();
    }

    private static String escape(String text, boolean name) {
        String escaped = text.replace("%", "%25").replace("\n", "%0A").replace("\r", "%0D");
        return name ? escaped.replace(":", "%3A") : escaped;
    }

    private static String unescape(String text) {
        return text.indexOf('%') < 0
                ? text
                : text.replace("%3A", ":")
                        .replace("%0D", "\r")
                        .replace("%0A", "\n")
                        .replace("%25", "%");
    }

    /**
     * Reads a stored message.
     *
     * @throws UnreadableMessageException if it is of another format
     */
    public static Envelope read(byte[] stored) {
        int headEnd = indexOf(stored, 0);
        String head = new String(stored, 0, Math.max(0, headEnd), US_ASCII);
        int due = head.lastIndexOf(' ') + 1;
        int sent = head.lastIndexOf(' ', due - 2) + 1;
        boolean limited = head.startsWith("1+");
        if (sent < 4 || !(limited || head.startsWith("1 "))) {
            throw new UnreadableMessageException("The stored message is not of format 1; it begins with: "
                    + new String(stored, 0, Math.min(stored.length, 40), UTF_8));
        }
        try {
            String own = head.substring(2, sent - 1);
            int nonceEnd = limited ? own.indexOf(' ') : own.length();
            Map<String, String> headers = new LinkedHashMap<>();
            int payload = stored[headEnd + 1] == '\n' ? headEnd + 2 : headers(stored, headEnd + 1, headers);
            return new Envelope(
                    Instant.ofEpochMilli(Long.parseLong(head, sent, due - 1, 10)),
                    Instant.ofEpochMilli(Long.parseLong(head, due, head.length(), 10)),
                    own.substring(0, nonceEnd < 0 ? own.length() : nonceEnd),
                    nonceEnd < 0 || !limited
                            ? MessageLimits.NONE
                            : limits(own.substring(nonceEnd + 1).split(" ")),
                    headers.isEmpty() ? Map.of() : Collections.unmodifiableMap(headers),
                    Arrays.copyOfRange(stored, payload, stored.length));
        } catch (RuntimeException e) {
            throw e instanceof UnreadableMessageException
                    ? e
                    : new UnreadableMessageException("The stored message's head cannot be read: " + e.getMessage());
        }
    }

    private static MessageLimits limits(String[] written) {
        Map<String, Long> values = new LinkedHashMap<>();
        for (String limit : written) {
            values.put(limit.substring(0, 2), Long.parseLong(limit.substring(2)));
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

    private static int headers(byte[] stored, int from, Map<String, String> headers) {
        int at = from;
        while (true) {
            int end = indexOf(stored, at);
            if (end < 0) {
                throw new UnreadableMessageException("The stored message has no end of its headers");
            }
            if (end == at) {
                return end + 1;
            }
            String line = new String(stored, at, end - at, UTF_8);
            int colon = line.indexOf(": ");
            if (colon < 0) {
                throw new UnreadableMessageException("The stored message has a header without a colon: " + line);
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
