package io.delayqueue.autoconfigure.failure;

/** A topic is registered with another number of shards than the properties say, and can't be registered anew. */
public final class ShardCountException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final int registered;
    private final int wanted;

    /**
     * With both counts.
     *
     * @param registered how many shards the topic has
     * @param wanted how many it has by the properties
     * @param hindrance why it can't be registered anew, as in "it holds 2 messages"
     */
    public ShardCountException(String topic, int registered, int wanted, String hindrance) {
        super("Topic " + topic + " is registered with " + registered + (registered == 1 ? " shard" : " shards")
                + ", but delayqueue.topics[" + topic + "].shards is " + wanted
                + ", and it cannot be registered anew: " + hindrance + ".");
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
