/**
 * Access to Redis: key names, Lua scripts, signals and connections. Only this package and the auto-configuration depend
 * on Spring Data Redis.
 *
 * <p>{@link io.delayqueue.redis.QueueConnections} derives the queue's own connections from the application's factory.
 * {@link io.delayqueue.redis.RedisScripts} runs scripts on them, and {@link io.delayqueue.redis.RedisSignals} receives
 * signals. All of them use Lettuce, through {@code LettuceClient}. {@link io.delayqueue.redis.JedisSettings} reads the
 * settings of an application that uses Jedis.
 *
 * <p>Read next: {@link io.delayqueue.redis.KeySpace},
 * then {@link io.delayqueue.redis.ScriptRunner}.
 */
@Internal
@NullMarked
package io.delayqueue.redis;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
