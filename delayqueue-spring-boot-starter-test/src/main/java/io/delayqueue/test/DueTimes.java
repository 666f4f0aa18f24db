package io.delayqueue.test;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.redis.ShardKeys;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Moves the due times of whole shards. */
record DueTimes(ScriptRunner scripts, KeySpace keySpace) {

    private static final LuaScript EARLIER = LuaScript.beside(DueTimes.class, "earlier");

    /** Returns how many messages were moved. */
    long moveEarlier(Shard shard, Duration by) {
        ShardKeys keys = keySpace.of(shard);
        Object moved = scripts.run(
                        EARLIER,
                        2,
                        keys.schedule(),
                        keys.messages(),
                        keySpace.signalChannel().getBytes(StandardCharsets.UTF_8),
                        keys.signal(),
                        Long.toString(by.toMillis()).getBytes(StandardCharsets.UTF_8))
                .get(0);
        return moved instanceof Long count ? count : 0;
    }
}
