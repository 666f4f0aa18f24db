package io.delayqueue.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Content of a Redis as {@code redis-cli} commands. The format is readable and independent of the server version. */
public final class Dump {

    private static final Pattern ARGUMENT = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(x([0-9a-f]{2})|.)");

    private Dump() {}

    /** Returns the commands for all keys with a prefix, sorted by key. */
    public static String of(RawRedis redis, String prefix) {
        List<?> keys = (List<?>) requireNonNull(redis.call("KEYS", prefix + "*"));
        return keys.stream()
                .map(key -> new String((byte[]) key, ISO_8859_1))
                .sorted()
                .flatMap(key -> commands(redis, key).stream())
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static List<String> commands(RawRedis redis, String key) {
        byte[] name = key.getBytes(ISO_8859_1);
        boolean sorted = redis.text("TYPE", name).equals("zset");
        List<?> pairs = (List<?>)
                requireNonNull(sorted ? redis.call("ZRANGE", name, 0, -1, "WITHSCORES") : redis.call("HGETALL", name));
        List<String> commands = new ArrayList<>();
        for (int i = 0; i < pairs.size(); i += 2) {
            byte[] first = (byte[]) requireNonNull(pairs.get(i));
            byte[] second = (byte[]) requireNonNull(pairs.get(i + 1));
            commands.add(
                    sorted
                            ? "ZADD " + quoted(name) + " " + quoted(second) + " " + quoted(first)
                            : "HSET " + quoted(name) + " " + quoted(first) + " " + quoted(second));
        }
        commands.sort(null);
        return commands;
    }

    /** Executes the commands of a dump. Other keys are kept. */
    public static void restore(RawRedis redis, String dump) {
        dump.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).forEach(line -> {
            List<Object> parts = new ArrayList<>();
            parts.add(line.substring(0, line.indexOf(' ')));
            Matcher arguments = ARGUMENT.matcher(line);
            while (arguments.find()) {
                parts.add(plain(arguments.group(1)));
            }
            redis.call(parts.toArray());
        });
    }

    private static String quoted(byte[] bytes) {
        StringBuilder text = new StringBuilder("\"");
        for (byte b : bytes) {
            int c = b & 0xff;
            if (c == '"' || c == '\\') {
                text.append('\\').append((char) c);
            } else if (c >= ' ' && c < 127) {
                text.append((char) c);
            } else {
                text.append(String.format("\\x%02x", c));
            }
        }
        return text.append('"').toString();
    }

    private static byte[] plain(String quoted) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Matcher escapes = ESCAPE.matcher(quoted);
        int at = 0;
        while (escapes.find()) {
            bytes.writeBytes(quoted.substring(at, escapes.start()).getBytes(ISO_8859_1));
            String hexadecimal = escapes.group(2);
            bytes.write(hexadecimal == null ? escapes.group(1).charAt(0) : Integer.parseInt(hexadecimal, 16));
            at = escapes.end();
        }
        bytes.writeBytes(quoted.substring(at).getBytes(ISO_8859_1));
        return bytes.toByteArray();
    }
}
