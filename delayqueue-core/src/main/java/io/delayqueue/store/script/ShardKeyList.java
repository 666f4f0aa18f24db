package io.delayqueue.store.script;

import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.QueueKind;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ShardKeys;

/** The keys that a script gets, in the order of the script's header. */
enum ShardKeyList {
    /** The five keys of a queue. */
    QUEUE,
    /**
     * {@link #QUEUE}, and for messages the dead letters and the schedule and messages of the queue of notifications.
     */
    POLL,
    /** {@link #QUEUE}, and for messages the dead letters. */
    DEAD_LETTERS,
    /** The five keys of the queue of messages, its dead letters, and the five keys of the queue of notifications. */
    ALL,
    /** {@link #ALL}, and the remembered outcomes of sends. */
    RETENTION,
    /** {@link #RETENTION}, and the record of the last deleted epoch. */
    EVER;

    void write(Arguments arguments, KeySpace keySpace, Shard shard) {
        ShardKeys keys = keySpace.of(shard);
        kind(arguments, keys);
        if (this == QUEUE || ((this == POLL || this == DEAD_LETTERS) && shard.kind() == QueueKind.NOTIFICATIONS)) {
            return;
        }
        arguments.key(keys.dead()).key(keys.deadLetters());
        if (this == DEAD_LETTERS) {
            return;
        }
        ShardKeys notifications = keySpace.of(shard.notifications());
        if (this == POLL) {
            arguments.key(notifications.schedule()).key(notifications.messages());
            return;
        }
        kind(arguments, notifications);
        if (this == ALL) {
            return;
        }
        arguments.key(keys.sent()).key(keys.sentUntil());
        if (this == EVER) {
            arguments.key(keys.ended());
        }
    }

    private static void kind(Arguments arguments, ShardKeys keys) {
        arguments
                .key(keys.schedule())
                .key(keys.leases())
                .key(keys.messages())
                .key(keys.deliveries())
                .key(keys.meta());
    }
}
