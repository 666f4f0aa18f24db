package io.delayqueue.autoconfigure.failure;

import io.delayqueue.message.Printable;

/** Thrown if a topic is registered with another number of shards than configured. */
public final class ShardCountException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int registered;
    private final int wanted;

    /**
     * Creates an exception for one topic.
     *
     * @param registered the registered number of shards
     * @param wanted the configured number of shards
     */
    public ShardCountException(String topic, int registered, int wanted) {
        super("Topic " + Printable.of(topic) + " is registered with " + registered
                + (registered == 1 ? " shard" : " shards")
                + ", but delayqueue.topics[" + Printable.of(topic) + "].shards is " + wanted + ".");
        this.topic = topic;
        this.registered = registered;
        this.wanted = wanted;
    }

    String topic() {
        return topic;
    }

    int registered() {
        return registered;
    }

    int wanted() {
        return wanted;
    }
}
