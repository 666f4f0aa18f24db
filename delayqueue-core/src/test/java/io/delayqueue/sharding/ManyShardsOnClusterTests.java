package io.delayqueue.sharding;

import org.junit.jupiter.api.Tag;

/** Repeats the tests with 16 shards. */
@Tag("long")
@Tag("core")
class ManyShardsOnClusterTests extends ShardedTopicOnClusterTests {}
