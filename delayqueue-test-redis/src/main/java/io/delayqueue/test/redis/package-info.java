/**
 * A real Redis server for tests, with fault injection.
 *
 * <p>{@link io.delayqueue.test.redis.RedisServerProcess} is a server that a test starts, kills, pauses and restarts.
 * {@link io.delayqueue.test.redis.FaultProxy} injects network faults in front of it. This package requires neither
 * Spring, JUnit nor a Redis client. Tests use it directly, and the other packages of the test support build on it.
 * {@link io.delayqueue.test.redis.topology} has clusters and replicated servers.
 */
@NullMarked
package io.delayqueue.test.redis;

import org.jspecify.annotations.NullMarked;
