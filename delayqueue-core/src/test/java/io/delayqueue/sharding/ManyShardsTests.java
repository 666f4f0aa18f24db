package io.delayqueue.sharding;

import io.delayqueue.test.redis.RedisServerProcess;
import org.junit.jupiter.api.Tag;

/** Repeats the tests with 16 shards. */
@Tag("long")
@Tag("core")
class ManyShardsTests extends ShardedTopicTests {

    ManyShardsTests(RedisServerProcess redis) {
        super(redis);
    }
}
