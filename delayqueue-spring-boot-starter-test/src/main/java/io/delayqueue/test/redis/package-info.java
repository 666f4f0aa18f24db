/**
 * A real Redis server for tests, and what is needed to treat it badly.
 *
 * <p>{@link io.delayqueue.test.redis.RedisServerProcess} is a server that a test starts, kills, pauses and restarts,
 * {@link io.delayqueue.test.redis.FaultProxy} a bad network in front of it. Nothing here needs Spring, JUnit or a Redis
 * client. Tests use it directly; the other packages of the test support build on it. Several servers that belong
 * together are in {@link io.delayqueue.test.redis.topology}.
 */
@NullMarked
package io.delayqueue.test.redis;

import org.jspecify.annotations.NullMarked;
