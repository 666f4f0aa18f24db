package io.delayqueue.message;

/**
 * One part of a topic: all keys of a shard live in one hash slot, so every script runs on one server.
 *
 * @param topic the topic's name
 * @param index 0 to {@code count - 1}
 * @param count how many shards the topic has, 1 or more
 * @param lane which of the shard's two queues is meant
 */
public record Shard(String topic, int index, int count, Lane lane) {

    /** The queues of a shard. Both obey the same scripts. */
    public enum Lane {
        /** The topic's messages. */
        MESSAGES,
        /** Notices of deaths, consumed by dead-letter listeners; the id of a notice is the letter's. */
        DEATHS
    }

    /** Checks the range. */
    public Shard {
        if (count < 1 || index < 0 || index >= count) {
            throw new IllegalArgumentException("There is no shard " + index + " of " + count + " in topic " + topic);
        }
    }

    /** The only shard of an unsharded topic. */
    public static Shard single(String topic) {
        return new Shard(topic, 0, 1, Lane.MESSAGES);
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
