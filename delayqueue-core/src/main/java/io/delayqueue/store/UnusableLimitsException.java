package io.delayqueue.store;

import io.delayqueue.message.Printable;

/**
 * Limits of a topic were rejected: limits need a topic with one shard, and a per-key limit needs {@code keys=fair}. The limits
 * of the topic are unchanged.
 */
public final class UnusableLimitsException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int shards;

    /**
     * Creates an exception.
     *
     * @param shards number of shards of the topic; if it is 1, the topic is not fair
     */
    public UnusableLimitsException(String topic, int shards) {
        super("Topic " + Printable.of(topic)
                + (shards > 1
                        ? " has " + shards
                                + " shards, but a topic with limits must have one. Its limits were not changed."
                                + " Delete the topic when it is empty, and register it with one shard."
                        : " is not fair, but max-concurrent-per-key requires keys=fair. Its limits were not changed. Delete"
                                + " the topic when it is empty, and register it with keys=fair."));
        this.topic = topic;
        this.shards = shards;
    }

    /** The topic. */
    public String topic() {
        return topic;
    }

    /** Number of shards of the topic; if it is 1, the topic is not fair. */
    public int shards() {
        return shards;
    }
}
