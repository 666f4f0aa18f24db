/**
 * Several real Redis servers that belong together.
 *
 * <p>{@link io.delayqueue.test.redis.topology.RedisClusterProcess} is a Redis Cluster whose nodes a test kills and whose
 * slots it moves, {@link io.delayqueue.test.redis.topology.RedisSentinelProcess} a master with replicas, which Sentinels
 * watch and replace. They are made of the servers of the package above, and like that package they need neither Spring,
 * JUnit nor a Redis client.
 */
@NullMarked
package io.delayqueue.test.redis.topology;

import org.jspecify.annotations.NullMarked;
