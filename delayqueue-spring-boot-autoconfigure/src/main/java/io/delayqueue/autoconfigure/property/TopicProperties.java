package io.delayqueue.autoconfigure.property;

import org.jspecify.annotations.Nullable;

/**
 * The number of shards of a topic and the options of its listeners. Attributes of a listener's annotation take
 * precedence.
 */
public final class TopicProperties extends ListenerProperties {

    /**
     * Number of shards of the topic, 1 to 1,024. It is fixed when the topic is registered. By default, a registered
     * topic keeps its number, and a new topic has 1 shard.
     */
    private @Nullable Integer shards;

    public @Nullable Integer getShards() {
        return shards;
    }

    public void setShards(@Nullable Integer shards) {
        this.shards = shards;
    }
}
