package io.delayqueue.store.bench;

import static io.delayqueue.store.bench.StoreBench.T0;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ShardKeys;
import io.delayqueue.testing.RawRedis;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The exact state of a shard without its sentinels and {@code meta}. Tests write it before a call and compare it after
 * the call. Each character of a hash value represents one byte. Not thread-safe.
 */
public final class ShardState {

    private static final long SUSPECT = 1_000_000_000_000_000L;

    /** Sentinel member of each sorted set. */
    static final String SENTINEL = "~".repeat(257);

    private static final String WORDS =
            "scheduled|leased|retrying|crashed|suspect|successor|deadLetter|notification|schedule|leases|dead";
    private static final Pattern SEPARATOR = Pattern.compile(", (?=(?:" + WORDS + ") )");
    private static final Pattern PART = Pattern.compile(
            "(?<word>" + WORDS + ") ('(?<quoted>[^']+)'|(?<plain>\\S+)) (?<due>-?\\d+)( (?<token>\\S*-\\S*)"
                    + " (?<end>-?\\d+))?( (?<attempts>\\d+))?( (?<crashes>[p/]\\S+))?( (?<failure>.+))?",
            Pattern.DOTALL);
    private static final Pattern DEAD_LETTER = Pattern.compile(
            "deadLetter ('(?<quoted>[^']+)'|(?<plain>\\S+)) (?<token>\\S+) (?<time>-?\\d+) (?<cause>\\S+)"
                    + " (?<attempts>\\d+) (?<due>-?\\d+) ?(?<failure>.*)",
            Pattern.DOTALL);
    private static final String NEVER = "9007199254740991";
    private static final List<String> ZSETS =
            List.of("schedule", "leases", "dead", "notifications.schedule", "notifications.leases");
    private static final List<String> HASHES =
            List.of("messages", "deliveries", "deadLetters", "notifications.messages", "notifications.deliveries");

    private final Map<String, Map<String, String>> keys = new LinkedHashMap<>();

    /** Creates the state of an open, empty shard. */
    public ShardState() {
        ZSETS.forEach(key -> keys.put(key, new TreeMap<>()));
        HASHES.forEach(key -> keys.put(key, new TreeMap<>()));
    }

    /** Creates a state from text, see {@link #and}. */
    public static ShardState state(String text) {
        return new ShardState().and(text);
    }

    /**
     * Adds what each part of a text says, in the words of the methods below or with the name of a sorted set, such as
     * {@code "scheduled a 5, leased 'an id' -7 w1-1 30000 2 /1/0 E: no, leases b 9"}. Times are relative to {@link StoreBench#T0}.
     * Attempts, crashes and the failure may be omitted. The failure is that of the last attempt that ended; those of
     * the attempts before may follow, each after {@code <}.
     */
    public ShardState and(String text) {
        for (String part : SEPARATOR.split(text)) {
            Matcher words = PART.matcher(part);
            Matcher dead = DEAD_LETTER.matcher(part);
            if (words.matches()) {
                add(words);
            } else if (dead.matches()) {
                deadLetter(
                        id(dead),
                        dead.group("token"),
                        time(dead, "time"),
                        dead.group("cause"),
                        Integer.parseInt(dead.group("attempts")),
                        time(dead, "due"),
                        dead.group("failure"));
            } else {
                throw new IllegalArgumentException(part);
            }
        }
        return this;
    }

    private void add(Matcher words) {
        String id = id(words);
        long due = time(words, "due");
        int attempts = Integer.parseInt(requireNonNullElse(words.group("attempts"), "0"));
        String crashes = requireNonNullElse(words.group("crashes"), "");
        String failure = requireNonNullElse(words.group("failure"), "");
        switch (words.group("word")) {
            case "scheduled" -> scheduled(id, due);
            case "successor" -> successor(id, due);
            case "notification" -> notification(id, due);
            case "retrying", "crashed" -> crashed(id, due, attempts, crashes, failure);
            case "suspect" -> suspect(id, due, attempts, crashes, failure);
            case "leased" -> {
                leased(id, due, words.group("token"), time(words, "end"));
                if (words.group("attempts") != null) {
                    leased(id, due, words.group("token"), time(words, "end"), attempts, crashes, failure);
                }
            }
            default -> put(words.group("word"), id, due);
        }
    }

    private static String id(Matcher words) {
        return words.group("quoted") == null ? words.group("plain") : words.group("quoted");
    }

    private static long time(Matcher words, String name) {
        return T0 + Long.parseLong(words.group(name));
    }

    /** Adds an entry to a key. */
    public ShardState put(String key, String field, Object value) {
        requireNonNull(keys.get(key)).put(field, value.toString());
        return this;
    }

    /** Entries of a key: field to value, or member to score. */
    public Map<String, String> get(String key) {
        return requireNonNull(keys.get(key));
    }

    /** Adds a scheduled message that was sent at T0 and never claimed. */
    public ShardState scheduled(String id, long due) {
        return put("schedule", id, due).put("messages", id, stored(id, due));
    }

    /** Adds a scheduled message that was claimed before. */
    public ShardState retrying(String id, long due, int attempts, String failure) {
        return scheduled(id, due).put("deliveries", id, "- " + attempts + " " + due + " " + failed(attempts, failure));
    }

    /** Adds a scheduled message whose leases ended without a settlement, with crashes such as {@code /1/0}. */
    public ShardState crashed(String id, long due, int attempts, String crashes, String failure) {
        return retrying(id, due, attempts, failure)
                .put("deliveries", id, "- " + attempts + crashes + " " + due + " " + failed(attempts, failure));
    }

    /** Adds a suspect. */
    public ShardState suspect(String id, long due, int attempts, String crashes, String failure) {
        return crashed(id, due, attempts, crashes, failure).put("schedule", id, due + SUSPECT);
    }

    /** Adds a leased message whose leases ended without a settlement, with crashes such as {@code /2/1!}. */
    public ShardState leased(
            String id, long due, String token, long end, int attempts, String crashes, String failure) {
        return leased(id, due, token, end)
                .put(
                        "deliveries",
                        id,
                        token + " " + attempts + crashes + " " + due + " " + failed(attempts - 1, failure));
    }

    /** Adds a leased message at its first attempt. */
    public ShardState leased(String id, long due, String token, long end) {
        return put("leases", id, end).put("messages", id, stored(id, due)).put("deliveries", id, token);
    }

    /** Adds a leased message. */
    public ShardState leased(String id, long due, String token, long end, int attempts, String failure) {
        return put("leases", id, end)
                .put("messages", id, stored(id, due))
                .put("deliveries", id, token + " " + attempts + " " + due + " " + failed(attempts - 1, failure));
    }

    /**
     * Stored failed attempts, which ended at T0 on an unknown node. Stored ones stay as they are.
     *
     * @param attempt number of the last one
     * @param failures empty, or a failure for each attempt, the last one first, separated by {@code <}
     */
    public static String failed(int attempt, String failures) {
        if (failures.isEmpty() || Character.isDigit(failures.charAt(0))) {
            return failures;
        }
        int next = failures.indexOf(" < ");
        String line = T0 + " " + attempt + " - - ";
        return next < 0
                ? line + failures
                : line + failures.substring(0, next) + "\n" + failed(attempt - 1, failures.substring(next + 3));
    }

    /** The failure of a dead letter, and the failed attempts before. */
    public static String failed(String failure, String attempts) {
        return failure + "\0" + attempts;
    }

    /** Adds a successor behind the delivery of a message; its payload is {@code next}. */
    public ShardState successor(String id, long due) {
        return successor(id, message("s", T0, due, "\nnext"));
    }

    /** Adds a stored message as the successor behind the delivery of a message. */
    public ShardState successor(String id, String stored) {
        return put("deliveries", id, get("deliveries").get(id) + "\0" + stored);
    }

    /** The ids of messages with a successor. */
    public List<String> succeeded() {
        return get("deliveries").entrySet().stream()
                .filter(delivery -> delivery.getValue().indexOf('\0') >= 0)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Adds a dead letter. */
    public ShardState deadLetter(
            String id, String token, long deadLetteredAt, String cause, int attempts, long due, String failure) {
        return put("dead", id + "@" + token, deadLetteredAt)
                .put(
                        "deadLetters",
                        id + "@" + token,
                        record(deadLetteredAt, cause, attempts, due, failure, stored(id, due)));
    }

    /** Stored value of a dead letter. */
    public static String record(
            long deadLetteredAt, String cause, int attempts, long due, String failure, String message) {
        return "1 " + deadLetteredAt + " " + cause + " " + attempts + " " + due + " " + failure.length() + "\n"
                + failure + "\n" + message;
    }

    /** Adds a scheduled dead-letter notification. */
    public ShardState notification(String deadLetter, long deadLetteredAt) {
        return put("notifications.schedule", deadLetter, deadLetteredAt)
                .put("notifications.messages", deadLetter, message("", deadLetteredAt, deadLetteredAt, "\n"));
    }

    /** Stored value of a message whose payload is its id and whose nonce is {@code n}. */
    public static String stored(String id, long due) {
        return message("n", T0, due, "\n" + id);
    }

    /**
     * Stored value of a message.
     *
     * @param line rest of the first line, after the times
     * @param body headers, an empty line, and the payload
     */
    public static String message(String line, long sent, long due, String body) {
        return "1" + time(sent) + time(due) + line + "\n" + body;
    }

    private static String time(long millis) {
        StringBuilder bytes = new StringBuilder();
        for (int shift = 40; shift >= 0; shift -= 8) {
            bytes.append((char) (millis >> shift & 0xff));
        }
        return bytes.toString();
    }

    /** Writes this state to an open, empty shard. */
    void writeTo(RawRedis redis, KeySpace keySpace, Shard shard) {
        keys.forEach((key, entries) -> {
            if (entries.isEmpty()) {
                return;
            }
            boolean sorted = ZSETS.contains(key);
            List<Object> command = new ArrayList<>(List.of(sorted ? "ZADD" : "HSET", name(keySpace, shard, key)));
            entries.forEach((field, value) ->
                    command.addAll(sorted ? List.of(value, field) : List.of(field, value.getBytes(ISO_8859_1))));
            redis.call(command.toArray());
            if (key.endsWith("schedule") && entries.values().stream().anyMatch(ShardState::isSuspect)) {
                redis.call("HSET", name(keySpace, shard, key.replace("schedule", "meta")), "suspects", "1");
            }
        });
    }

    private static boolean isSuspect(String score) {
        return Double.parseDouble(score.replace("inf", "Infinity")) >= SUSPECT;
    }

    /** Reads the state of a shard. Fails if a key has no sentinel. */
    static ShardState read(RawRedis redis, KeySpace keySpace, Shard shard) {
        List<Object> command = new ArrayList<>(List.of(
                "EVAL",
                "local all = {} for i = 1, 5 do all[i] = redis.call('ZRANGE', KEYS[i], 0, -1, 'WITHSCORES') end"
                        + " for i = 6, 10 do all[i] = redis.call('HGETALL', KEYS[i]) end return all",
                10));
        ZSETS.forEach(key -> command.add(name(keySpace, shard, key)));
        HASHES.forEach(key -> command.add(name(keySpace, shard, key)));
        List<?> all = (List<?>) requireNonNull(redis.call(command.toArray()));
        ShardState state = new ShardState();
        for (int i = 0; i < 10; i++) {
            String key = i < 5 ? ZSETS.get(i) : HASHES.get(i - 5);
            List<?> entries = (List<?>) requireNonNull(all.get(i));
            for (int j = 0; j < entries.size(); j += 2) {
                Object value = requireNonNull(entries.get(j + 1));
                state.put(key, text(entries.get(j)), new String((byte[]) value, ISO_8859_1));
            }
            String sentinel = state.get(key).remove(SENTINEL);
            if (!(i < 5 ? NEVER : "").equals(sentinel)) {
                throw new AssertionError("The sentinel of " + key + " is " + sentinel);
            }
        }
        return state;
    }

    static byte[] name(KeySpace keySpace, Shard shard, String key) {
        boolean notification = key.startsWith("notifications.");
        ShardKeys names = keySpace.of(notification ? shard.notifications() : shard.messages());
        return switch (notification ? key.substring("notifications.".length()) : key) {
            case "schedule" -> names.schedule();
            case "leases" -> names.leases();
            case "messages" -> names.messages();
            case "deliveries" -> names.deliveries();
            case "meta" -> names.meta();
            case "dead" -> names.dead();
            case "deadLetters" -> names.deadLetters();
            case "recurring" -> names.recurring();
            case "recurrences" -> names.recurrences();
            default ->
                names.order().stream()
                        .filter(name -> text(name).endsWith(":" + key))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException(key));
        };
    }

    private static String text(@Nullable Object part) {
        return new String((byte[]) requireNonNull(part), UTF_8);
    }

    private static String readable(String value) {
        StringBuilder text = new StringBuilder();
        value.chars().forEach(c -> {
            if (c >= ' ' && c < 127) {
                text.append((char) c);
            } else {
                text.append(c == '\n' ? "⏎" : "\\x" + HexFormat.of().toHexDigits((byte) c));
            }
        });
        return text.toString();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ShardState state && keys.equals(state.keys);
    }

    @Override
    public int hashCode() {
        return keys.hashCode();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        keys.forEach((key, entries) -> entries.forEach((field, value) -> text.append(key)
                .append(' ')
                .append(field)
                .append(" = ")
                .append(readable(value))
                .append('\n')));
        return text.toString();
    }
}
