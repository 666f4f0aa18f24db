/**
 * Groups of real Redis servers.
 *
 * <p>{@link io.delayqueue.test.redis.topology.RedisClusterProcess} is a Redis Cluster. Tests kill its nodes and move
 * its slots. {@link io.delayqueue.test.redis.topology.RedisSentinelProcess} is a master with replicas, monitored by
 * Sentinels. Both consist of servers of {@link io.delayqueue.test.redis} and require neither Spring, JUnit nor a Redis
 * client.
 */
@NullMarked
package io.delayqueue.test.redis.topology;

import org.jspecify.annotations.NullMarked;
