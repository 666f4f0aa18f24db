package io.delayqueue.container;

import io.delayqueue.test.redis.RedisServerProcess;
import org.junit.jupiter.api.Tag;

/** The same with 16 shards. */
@Tag("long")
@Tag("core")
class ManyShardsListenerTests extends ShardedListenerTests {

    ManyShardsListenerTests(RedisServerProcess redis) {
        super(redis);
    }
}
