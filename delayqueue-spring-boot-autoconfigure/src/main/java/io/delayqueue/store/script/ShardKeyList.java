package io.delayqueue.store.script;

import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Lane;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ShardKeys;

/** Which keys a script is given; their order is that of the scripts' headers. */
enum ShardKeyList {
    /** The five of a lane. */
    LANE,
    /** Those, and in the lane of messages its letters and the schedule and messages of its deaths. */
    STEP,
    /** Those of a lane, and in the lane of messages its letters. */
    LETTERS,
    /** Those of the lane of messages, its letters, and the five of the lane of deaths. */
    ALL,
    /** All of these, and what is left when a shard was deleted. */
    EVER;

    void write(Arguments arguments, KeySpace keySpace, Shard shard) {
        ShardKeys keys = keySpace.of(shard);
        lane(arguments, keys);
        if (this == LANE || ((this == STEP || this == LETTERS) && shard.lane() == Lane.DEATHS)) {
            return;
        }
        arguments.key(keys.dead()).key(keys.letters());
        if (this == LETTERS) {
            return;
        }
        ShardKeys deaths = keySpace.of(shard.deaths());
        if (this == STEP) {
            arguments.key(deaths.schedule()).key(deaths.messages());
            return;
        }
        lane(arguments, deaths);
        if (this == EVER) {
            arguments.key(keys.ended());
        }
    }

    private static void lane(Arguments arguments, ShardKeys keys) {
        arguments
                .key(keys.schedule())
                .key(keys.leases())
                .key(keys.messages())
                .key(keys.deliveries())
                .key(keys.meta());
    }
}
