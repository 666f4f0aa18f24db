package io.delayqueue.store.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.Durability;
import io.delayqueue.redis.RedisCallException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads the parts of a script's reply. */
final class Replies {

    private Replies() {}

    static byte[] bytes(@Nullable Object part) {
        return (byte[]) Objects.requireNonNull(part, "An element of the script's reply is missing");
    }

    static String text(@Nullable Object part) {
        return new String(bytes(part), UTF_8);
    }

    static long number(@Nullable Object part) {
        if (part instanceof Long number) {
            return number;
        }
        byte[] digits = bytes(part);
        long value = 0;
        for (byte digit : digits) {
            if (digit < '0' || digit > '9') {
                return fraction(new String(digits, UTF_8));
            }
            value = value * 10 + (digit - '0');
        }
        return value;
    }

    /** Reads a number that Redis writes as a fraction, with an exponent or as infinite. */
    private static long fraction(String text) {
        return switch (text) {
            case "inf" -> Long.MAX_VALUE;
            case "-inf" -> Long.MIN_VALUE;
            default -> (long) Double.parseDouble(text);
        };
    }

    static Instant micros(@Nullable Object part) {
        long micros = number(part);
        return Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1000);
    }

    static Instant millis(@Nullable Object part) {
        return Instant.ofEpochMilli(number(part));
    }

    /** Why the durability of a call is not confirmed; null if it is, or none was asked for. */
    static @Nullable RedisCallException unconfirmed(List<Object> reply, Durability durability) {
        return durability.isNone() ? null : (RedisCallException) reply.get(reply.size() - 1);
    }

    @SuppressWarnings("unchecked")
    static List<Object> list(@Nullable Object part) {
        return (List<Object>) Objects.requireNonNull(part, "An element of the script's reply is missing");
    }
}
