package io.delayqueue.test.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A command that a client sent through a {@link FaultProxy}. Two requests are equal if their bytes are equal.
 * Immutable.
 */
public final class RedisRequest {

    private final byte[] bytes;

    private final List<String> arguments;

    RedisRequest(byte[] bytes) {
        this.bytes = bytes;
        this.arguments = parse(bytes);
    }

    private static List<String> parse(byte[] bytes) {
        if (bytes[0] != '*') {
            String line = new String(bytes, StandardCharsets.UTF_8).trim();
            return List.of(line.split("\\s+"));
        }
        List<String> arguments = new ArrayList<>();
        int start = lineEnd(bytes, 0);
        while (start < bytes.length) {
            int end = lineEnd(bytes, start);
            int length = Integer.parseInt(text(bytes, start + 1, end).trim());
            arguments.add(text(bytes, end, end + length));
            start = end + length + 2;
        }
        return List.copyOf(arguments);
    }

    private static int lineEnd(byte[] bytes, int start) {
        int i = start;
        while (bytes[i] != '\n') {
            i++;
        }
        return i + 1;
    }

    private static String text(byte[] bytes, int start, int end) {
        return new String(bytes, start, end - start, StandardCharsets.UTF_8);
    }

    /**
     * The command's name.
     *
     * @return the name in capitals, such as {@code EVALSHA}
     */
    public String name() {
        return this.arguments.isEmpty() ? "" : this.arguments.get(0).toUpperCase(Locale.ROOT);
    }

    /**
     * The arguments after the name, decoded as UTF-8.
     *
     * @return the arguments, unmodifiable
     */
    public List<String> arguments() {
        return this.arguments.subList(Math.min(1, this.arguments.size()), this.arguments.size());
    }

    /**
     * Whether this is a call of a script or a function, by text, by hash or by name.
     *
     * @return {@code true} for {@code EVAL}, {@code EVALSHA}, {@code FCALL} and their read-only kinds
     */
    public boolean isScript() {
        return name().startsWith("EVAL") || name().startsWith("FCALL");
    }

    byte[] bytes() {
        return this.bytes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RedisRequest request && Arrays.equals(this.bytes, request.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(this.bytes);
    }

    @Override
    public String toString() {
        return String.join(" ", this.arguments);
    }
}
