/**
 * Redis as the queue sees it: key names, Lua scripts, signals and connections. The only package besides the
 * auto-configuration that sees Spring Data Redis.
 *
 * <p>{@link io.delayqueue.redis.QueueConnections} derives connections of the queue's own from the application's factory;
 * {@link io.delayqueue.redis.RedisScripts} runs scripts on them and {@link io.delayqueue.redis.RedisSignals} listens.
 * Lettuce and Jedis are optional: each is seen by its driver and its settings only, which are loaded when the
 * application uses that client.
 *
 * <p>Row 1: used by {@code store}, {@code coordination} and above. Read next: {@link io.delayqueue.redis.KeySpace}, then
 * {@link io.delayqueue.redis.ScriptRunner}.
 */
@NullMarked
package io.delayqueue.redis;

import org.jspecify.annotations.NullMarked;
