package io.delayqueue.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.stream.IntStream;

/**
 * One part of a topic: all keys of a shard live in one hash slot, so every script runs on one server.
 *
 * @param topic the topic's name
 * @param index 0 to {@code count - 1}
 * @param count how many shards the topic has, 1 to {@value #MAX_COUNT}
 * @param lane which of the shard's two queues is meant
 */
public record Shard(String topic, int index, int count, Lane lane) {

    /** The most shards of a topic. */
    public static final int MAX_COUNT = 1024;

    /** The queues of a shard. Both obey the same scripts. */
    public enum Lane {
        /** The topic's messages. */
        MESSAGES,
        /** Notices of deaths, consumed by dead-letter listeners; the id of a notice is the letter's. */
        DEATHS
    }

    /** Checks the range. */
    public Shard {
        if (count < 1 || count > MAX_COUNT || index < 0 || index >= count) {
            throw new IllegalArgumentException("There is no shard " + index + " of " + count + " in topic " + topic);
        }
    }

    /** The only shard of an unsharded topic. */
    public static Shard single(String topic) {
        return new Shard(topic, 0, 1, Lane.MESSAGES);
    }

    /**
     * The shard that a message belongs to.
     *
     * @param count how many shards the topic has
     */
    public static Shard of(String topic, String id, int count) {
        return new Shard(topic, indexOf(id, count), count, Lane.MESSAGES);
    }

    /** All shards of a topic, by their index. */
    public static List<Shard> all(String topic, int count) {
        return IntStream.range(0, count)
                .mapToObj(index -> new Shard(topic, index, count, Lane.MESSAGES))
                .toList();
    }

    /**
     * The index of the shard that an id belongs to: the MurmurHash3 (x86, 32 bits, seed 0) of its UTF-8 bytes, taken as an
     * unsigned number, modulo the count. This never changes.
     *
     * @param count 1 or more
     */
    public static int indexOf(String id, int count) {
        return count == 1 ? 0 : Integer.remainderUnsigned(Murmur3.hash(id.getBytes(UTF_8)), count);
    }

    /** The same shard's queue of death notices. */
    public Shard deaths() {
        return new Shard(topic, index, count, Lane.DEATHS);
    }

    /** The same shard's queue of messages. */
    public Shard messages() {
        return new Shard(topic, index, count, Lane.MESSAGES);
    }
}
