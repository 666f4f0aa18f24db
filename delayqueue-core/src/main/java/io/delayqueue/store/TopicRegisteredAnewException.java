package io.delayqueue.store;

import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;

/**
 * A topic was deleted and registered again with another shard count, and a call used a shard of the old count. Nothing
 * was written. The registry now has the new count: a caller that gets the shard from it again can repeat the call.
 */
public final class TopicRegisteredAnewException extends TopicConflictException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param believed the shard of the call
     * @param registered current shard count of the topic
     */
    public TopicRegisteredAnewException(Shard believed, int registered) {
        super("Topic " + Printable.of(believed.topic()) + " is registered with " + registered
                + " shards, but this call was for shard "
                + believed.index() + " of " + believed.count()
                + ", as the topic was registered before. Nothing was written. Try again.");
    }
}
