/**
 * Access to Redis: key names, Lua scripts, signals and connections. Only this package and the auto-configuration depend
 * on Spring Data Redis.
 *
 * <p>{@link io.delayqueue.redis.QueueConnections} derives the queue's own connections from the application's factory.
 * {@link io.delayqueue.redis.RedisScripts} runs scripts on them, and {@link io.delayqueue.redis.RedisSignals} receives
 * signals. Lettuce and Jedis are optional: only the driver and settings classes of a client depend on it, and they are
 * loaded when the application uses that client.
 *
 * <p>Read next: {@link io.delayqueue.redis.KeySpace},
 * then {@link io.delayqueue.redis.ScriptRunner}.
 */
@Internal
@NullMarked
package io.delayqueue.redis;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
