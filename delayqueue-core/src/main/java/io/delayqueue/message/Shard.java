package io.delayqueue.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.Internal;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A part of a topic. All keys of a shard are in one hash slot, so that every script runs on one server.
 *
 * @param topic the topic's name
 * @param index 0 to {@code count - 1}
 * @param count number of shards of the topic, 1 to {@value #MAX_COUNT}
 * @param keys what the keys of the topic's messages mean
 * @param kind one of the shard's two queues
 */
@Internal
public record Shard(String topic, int index, int count, Keys keys, QueueKind kind) {

    /** Maximum number of shards of a topic. */
    public static final int MAX_COUNT = 1024;

    private static final Pattern DIGITS = Pattern.compile("\\d{1,4}");

    /** What the keys of a topic's messages mean. Like the shard count, it is fixed when the topic is registered. */
    public enum Keys {
        /** The messages have no keys. */
        NONE(""),
        /** Messages of one key are handled one at a time, in order. The topic has one shard. */
        ORDERED("o"),
        /** The keys share the starts of deliveries equally; messages without one share a key. The topic has one shard. */
        FAIR("f");

        private final String letter;

        Keys(String letter) {
            this.letter = letter;
        }

        /** Whether a topic accepts a message with this key, or without one. */
        public boolean accept(@Nullable String key) {
            return this == FAIR || (this == ORDERED) == (key != null);
        }
    }

    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException if the index or the count is out of range
     */
    public Shard {
        if (count < 1 || count > MAX_COUNT || index < 0 || index >= count) {
            throw new IllegalArgumentException(
                    "There is no shard " + index + " of " + count + " in topic " + Printable.of(topic));
        }
        if (keys != Keys.NONE && count != 1) {
            throw new IllegalArgumentException(
                    "Topic " + Printable.of(topic) + " has keys and so one shard, but not " + count);
        }
    }

    /** Creates a shard of a topic whose messages have no keys. */
    public Shard(String topic, int index, int count, QueueKind kind) {
        this(topic, index, count, Keys.NONE, kind);
    }

    /** The only shard of an unsharded topic. */
    public static Shard single(String topic) {
        return new Shard(topic, 0, 1, QueueKind.MESSAGES);
    }

    /**
     * The shard of a message.
     *
     * @param count number of shards of the topic
     */
    public static Shard of(String topic, String id, int count) {
        return new Shard(topic, indexOf(id, count), count, QueueKind.MESSAGES);
    }

    /**
     * All shards of a topic whose messages have no keys, ordered by index.
     *
     * @param count number of shards of the topic
     */
    public static List<Shard> all(String topic, int count) {
        return all(topic, count, Keys.NONE);
    }

    /** All shards of a topic, ordered by index. */
    public static List<Shard> all(String topic, int count, Keys keys) {
        return IntStream.range(0, count)
                .mapToObj(index -> new Shard(topic, index, count, keys, QueueKind.MESSAGES))
                .toList();
    }

    /**
     * What the registration of a topic fixes: the shard count, then a letter for the meaning of keys, such as {@code 4} or
     * {@code 1o}.
     */
    public String shape() {
        return count + keys.letter;
    }

    /**
     * All shards of a topic with a {@link #shape}.
     *
     * @return the shards; empty if this version cannot read the shape
     */
    public static List<Shard> ofShape(String topic, String shape) {
        for (Keys keys : Keys.values()) {
            String digits = shape.substring(0, Math.max(0, shape.length() - keys.letter.length()));
            if (shape.equals(digits + keys.letter) && DIGITS.matcher(digits).matches()) {
                int count = Integer.parseInt(digits);
                boolean valid = count >= 1 && count <= (keys == Keys.NONE ? MAX_COUNT : 1);
                return valid ? all(topic, count, keys) : List.of();
            }
        }
        return List.of();
    }

    /**
     * The index of an id's shard: the MurmurHash3 (x86, 32 bits, seed 0) of its UTF-8 bytes as an unsigned integer,
     * modulo the count. It never changes, because every process, in any language, computes the same index.
     *
     * @param count 1 or more
     */
    public static int indexOf(String id, int count) {
        return count == 1 ? 0 : Integer.remainderUnsigned(murmur3(id.getBytes(UTF_8)), count);
    }

    /** MurmurHash3, x86 32-bit variant, seed 0: an unsigned 32-bit integer. */
    static int murmur3(byte[] bytes) {
        int hash = 0;
        int whole = bytes.length & ~3;
        for (int i = 0; i < whole; i += 4) {
            hash ^= scrambled(block(bytes, i, 4));
            hash = Integer.rotateLeft(hash, 13) * 5 + 0xe6546b64;
        }
        hash ^= scrambled(block(bytes, whole, bytes.length - whole));
        return finished(hash ^ bytes.length);
    }

    /** Little-endian. An empty block is zero and does not change the hash. */
    private static int block(byte[] bytes, int from, int length) {
        int block = 0;
        for (int i = length - 1; i >= 0; i--) {
            block = block << 8 | (bytes[from + i] & 0xff);
        }
        return block;
    }

    private static int scrambled(int block) {
        return Integer.rotateLeft(block * 0xcc9e2d51, 15) * 0x1b873593;
    }

    private static int finished(int hash) {
        int mixed = (hash ^ hash >>> 16) * 0x85ebca6b;
        mixed = (mixed ^ mixed >>> 13) * 0xc2b2ae35;
        return mixed ^ mixed >>> 16;
    }

    /** The notification queue of the same shard. */
    public Shard notifications() {
        return new Shard(topic, index, count, keys, QueueKind.NOTIFICATIONS);
    }

    /** The message queue of the same shard. */
    public Shard messages() {
        return new Shard(topic, index, count, keys, QueueKind.MESSAGES);
    }
}
