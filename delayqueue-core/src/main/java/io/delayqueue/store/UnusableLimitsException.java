package io.delayqueue.store;

import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;

/** A topic got no limits, because it has several shards, or because it is not fair and there is a limit for each key. */
public final class UnusableLimitsException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final transient Shard registered;

    /**
     * Creates an exception.
     *
     * @param registered a shard of the topic
     */
    public UnusableLimitsException(Shard registered) {
        super("Topic " + Printable.of(registered.topic())
                + (registered.count() > 1
                        ? " has " + registered.count() + " shards, but a topic with limits must have one"
                        : " is not fair, but a limit for each key needs keys=fair")
                + ". Its limits were not changed. Delete the topic when it is empty, and register it with "
                + (registered.count() > 1 ? "one shard." : "keys=fair."));
        this.registered = registered;
    }

    /** A shard of the topic, as it is registered. */
    public Shard registered() {
        return registered;
    }
}
