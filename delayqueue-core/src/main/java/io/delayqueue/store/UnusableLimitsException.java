package io.delayqueue.store;

import io.delayqueue.message.Printable;

/** A topic got no limits, because it has several shards. It is unchanged. */
public final class UnusableLimitsException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int shards;

    /**
     * Creates an exception.
     *
     * @param shards number of shards of the topic
     */
    public UnusableLimitsException(String topic, int shards) {
        super("Topic " + Printable.of(topic) + " has " + shards
                + " shards, but a topic with limits must have one. Its limits were not changed. Delete the topic when it is"
                + " empty, and register it with one shard.");
        this.topic = topic;
        this.shards = shards;
    }

    /** The topic. */
    public String topic() {
        return topic;
    }

    /** Number of shards of the topic. */
    public int shards() {
        return shards;
    }
}
