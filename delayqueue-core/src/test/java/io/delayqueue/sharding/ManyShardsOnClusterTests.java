package io.delayqueue.sharding;

import org.junit.jupiter.api.Tag;

/** The same with 16 shards. */
@Tag("soak")
class ManyShardsOnClusterTests extends ShardedTopicOnClusterTests {}
