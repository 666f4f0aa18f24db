package io.delayqueue.store.script;

import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.ShardReader;

/** Reads shards in Redis. Each verb runs the script of its name. */
public final class RedisShardReader implements ShardReader {

    /** Over the scripts and names of one namespace. */
    public RedisShardReader(ScriptRunner scripts, KeySpace keySpace, TopicRegistry registry) {}
}
