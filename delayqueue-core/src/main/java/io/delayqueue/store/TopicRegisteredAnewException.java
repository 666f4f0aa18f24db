package io.delayqueue.store;

import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;

/**
 * A topic was deleted and registered again with another shard count or another meaning of keys, and a call used a shard of
 * before. Nothing was written. The registry now has the new shards: a caller that gets the shard from it again can repeat the call.
 */
public final class TopicRegisteredAnewException extends TopicConflictException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param believed the shard of the call
     * @param registered a current shard of the topic
     */
    public TopicRegisteredAnewException(Shard believed, Shard registered) {
        super("Topic " + Printable.of(believed.topic()) + " is registered with " + described(registered)
                + ", but this call was for shard " + believed.index() + " of " + described(believed)
                + ", as the topic was registered before. Nothing was written. Try again.");
    }

    private static String described(Shard shard) {
        return shard.count() + (shard.count() == 1 ? " shard" : " shards") + " and keys=" + shard.keys();
    }
}
