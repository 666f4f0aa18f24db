package io.delayqueue.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.Internal;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A part of a topic. All keys of a shard are in one hash slot, so that every script runs on one server.
 *
 * @param topic the topic's name
 * @param index 0 to {@code count - 1}
 * @param count number of shards of the topic, 1 to {@value #MAX_COUNT}
 * @param kind one of the shard's two queues
 */
@Internal
public record Shard(String topic, int index, int count, QueueKind kind) {

    /** Maximum number of shards of a topic. */
    public static final int MAX_COUNT = 1024;

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
     * All shards of a topic, ordered by index.
     *
     * @param count number of shards of the topic
     */
    public static List<Shard> all(String topic, int count) {
        return IntStream.range(0, count)
                .mapToObj(index -> new Shard(topic, index, count, QueueKind.MESSAGES))
                .toList();
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
        return new Shard(topic, index, count, QueueKind.NOTIFICATIONS);
    }

    /** The message queue of the same shard. */
    public Shard messages() {
        return new Shard(topic, index, count, QueueKind.MESSAGES);
    }
}
