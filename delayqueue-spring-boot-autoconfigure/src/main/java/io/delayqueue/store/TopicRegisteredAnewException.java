package io.delayqueue.store;

import io.delayqueue.message.Shard;

/**
 * A call was for a shard of a topic that has another number of shards by now: it was deleted and registered anew. Nothing
 * was written, and the registry knows better from now on: whoever asks it for the shard anew and tries again gets through.
 */
public final class TopicRegisteredAnewException extends TopicConflictException {

    private static final long serialVersionUID = 1L;

    /**
     * With both counts.
     *
     * @param believed the shard that the call was for
     * @param registered how many shards the topic has
     */
    public TopicRegisteredAnewException(Shard believed, int registered) {
        super("Topic " + believed.topic() + " is registered with " + registered
                + " shards, but this call was for shard "
                + believed.index() + " of " + believed.count()
                + ", as the topic was registered before. Nothing was written. Try again.");
    }
}
